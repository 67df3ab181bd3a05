"""Kernels of Triton's tutorials, written again, through `kcc run` against NumPy."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc import cli

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not there"),
]

KERNELS = """
import triton, triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = at < n
    tl.store(out + at, tl.load(x + at, mask=m) + tl.load(y + at, mask=m), mask=m)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = at < n
    v = tl.load(x + at, mask=m)
    tl.store(out + at, tl.where(tl.rand(seed, at) > p, v / (1 - p), 0.0), mask=m)


@triton.jit
def layer_norm(x, out, w, b, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < n
    v = tl.load(x + row * n + c, mask=m, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    y = d * scale * tl.load(w + c, mask=m) + tl.load(b + c, mask=m)
    tl.store(out + row * n + c, y, mask=m)


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < n
    v = tl.load(x + row * stride + c, mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + c, e / tl.sum(e, axis=0), mask=m)


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid, across = tl.program_id(0), tl.cdiv(n, BN)
    rm = (pid // across) * BM + tl.arange(0, BM)
    rn = (pid % across) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * k + rk[None, :]
    pb = b + rk[:, None] * n + rn[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for s in range(0, tl.cdiv(k, BK)):
        total = tl.dot(tl.load(pa), tl.load(pb), total)
        pa += BK
        pb += BK * n
    tl.store(c + rm[:, None] * n + rn[None, :], total)


@triton.jit
def attention(q, k, v, out, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    own = tl.load(q + rm[:, None] * D + rd[None, :])
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    sums = tl.zeros([BM, D], tl.float32)
    for s in range(0, n, BN):
        rn = s + tl.arange(0, BN)
        keys = tl.load(k + rn[None, :] * D + rd[:, None])
        values = tl.load(v + rn[:, None] * D + rd[None, :])
        score = tl.dot(own, keys) * scale
        new = tl.maximum(top, tl.max(score, 1))
        p = tl.exp2(score - new[:, None])
        kept = tl.exp2(top - new)
        total = total * kept + tl.sum(p, 1)
        sums = tl.dot(p.to(tl.float16), values, sums * kept[:, None])
        top = new
    tl.store(out + rm[:, None] * D + rd[None, :], sums / total[:, None])
"""


def ran(tmp_path: Path, kernel: str, words: str, *names: str) -> list[NDArray[Any]]:
    """Buffers after a run, in double precision."""
    file = tmp_path / "kernels.py"
    file.write_text(KERNELS)
    saves = [word for name in names for word in ("--save", f"{name}={tmp_path / name}.npy")]
    assert cli.main(["run", f"{file}:{kernel}", *words.split(), *saves]) == 0
    return [np.load(tmp_path / f"{name}.npy").astype(np.float64) for name in names]


def test_vector_addition(tmp_path: Path) -> None:
    words = (
        "--signature *fp32,*fp32,*fp32,i32 -D BLOCK=1024 --grid 3 --arg n=2500 "
        "--arg x=float[n]=uniform(-1,1) --arg y=float[n]=uniform(-1,1) --arg out=float[n]"
    )
    x, y, out = ran(tmp_path, "add", words, "x", "y", "out")
    assert (out == (x.astype(np.float32) + y.astype(np.float32))).all()


def test_dropout(tmp_path: Path) -> None:
    words = (
        "--signature *fp32,*fp32,i32,fp32,i32 -D BLOCK=1024 --grid 4 --arg n=4000 --arg p=0.25 "
        "--arg seed=123 --arg x=float[n]=uniform(1,2) --arg out=float[n]"
    )
    x, out = ran(tmp_path, "dropout", words, "x", "out")
    kept = out != 0
    assert np.allclose(out[kept], x[kept] / 0.75, rtol=1e-6)
    assert abs(kept.mean() - 0.75) < 0.03


def test_layer_norm(tmp_path: Path) -> None:
    words = (
        "--signature *fp16,*fp16,*fp16,*fp16,i32,fp32 -D BLOCK=1024 --grid 4 --arg n=781 "
        "--arg eps=0.00001 --arg x=half[4,781]=uniform(-2,3) --arg out=half[4,781] "
        "--arg w=half[781]=uniform(0,1) --arg b=half[781]=uniform(-1,1)"
    )
    x, w, b, out = ran(tmp_path, "layer_norm", words, "x", "w", "b", "out")
    exact = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + b
    assert np.allclose(out, exact, rtol=1e-3, atol=2e-3)


def test_softmax(tmp_path: Path) -> None:
    words = (
        "--signature *fp32,*fp32,i32,i32 -D BLOCK=1024 --grid 4 --arg stride=800 --arg n=781 "
        "--arg out=float[4,800] --arg x=float[4,800]=uniform(-3,3)"
    )
    x, out = ran(tmp_path, "softmax", words, "x", "out")
    e = np.exp(x[:, :781] - x[:, :781].max(1, keepdims=True))
    assert np.allclose(out[:, :781], e / e.sum(1, keepdims=True), rtol=1e-5, atol=0)


@pytest.mark.parametrize("gpu", ["a100", "h100"])
def test_matmul(tmp_path: Path, gpu: str) -> None:
    words = (
        f"--gpu {gpu} --signature *fp16,*fp16,*fp32,i32,i32,i32 -D BM=64 -D BN=64 -D BK=32 "
        "-D num_warps=4 --grid 4 --arg m=128 --arg n=128 --arg k=96 --arg c=float[m,n] "
        "--arg a=half[m,k]=uniform(-1,1) --arg b=half[k,n]=uniform(-1,1)"
    )
    a, b, c = ran(tmp_path, "matmul", words, "a", "b", "c")
    assert np.allclose(c, a @ b, rtol=0, atol=1e-5)


@pytest.mark.parametrize("gpu", ["a100", "h100"])
def test_attention(tmp_path: Path, gpu: str) -> None:
    words = (
        f"--gpu {gpu} --signature *fp16,*fp16,*fp16,*fp32,i32,fp32 -D D=64 -D BM=64 -D BN=64 "
        "-D num_warps=4 --grid 1 --arg n=128 --arg scale=0.25 --arg q=half[64,64]=uniform(-1,1) "
        "--arg k=half[128,64]=uniform(-1,1) --arg v=half[128,64]=uniform(-1,1) "
        "--arg out=float[64,64]"
    )
    q, k, v, out = ran(tmp_path, "attention", words, "q", "k", "v", "out")
    score = q @ k.T * 0.25
    p = np.exp2(score - score.max(1, keepdims=True))
    assert np.allclose(out, p / p.sum(1, keepdims=True) @ v, rtol=0, atol=1e-3)
