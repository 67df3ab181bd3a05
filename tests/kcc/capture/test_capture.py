"""Captures: written here line by line as the layer does, read, replayed and damaged."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.capture import layers
from kcc.cli import main

SOURCE = b"""kernel void twice(global const float *a, global float *b) {
    b[get_global_id(0)] = 2 * a[get_global_id(0)];
}
"""
GIVEN = np.arange(64, dtype=np.float32)


def line(text: str) -> bytes:
    return f"{text} #{sha256(text.encode()).hexdigest()[:8]}\n".encode()


def data(content: bytes) -> tuple[str, bytes]:
    name = sha256(content).hexdigest()
    return name, line(f"data sha256={name} size={len(content)}") + content + b"\n"


def capture(result: bytes, *more: str, text: bytes = SOURCE) -> bytes:
    """A launch of `twice` on 64 elements, and what it left in `b`."""
    (source, one), (given, two) = data(text), data(GIVEN.tobytes())
    (left, three), (none, four) = data(result), data(b"")
    calls = [
        f"program id=1 source={source}", f"build id=1 options={none}",
        f"buffer id=2 flags=36 size=256 data={given}", "buffer id=3 flags=1 size=256 data=-",
        "kernel id=4 program=1 name=twice", "arg id=4 index=0 size=8 value=00 object=2",
        "arg id=4 index=1 size=8 value=00 object=3",
        "launch number=0 kernel=4 dimensions=1 global=64,1,1 local=32,0,0 offset=0,0,0",
        f"output launch=0 index=1 object=3 data={left}", *more, "end",
    ]  # fmt: skip
    head = line("kcc-capture version=1")
    return head + one + two + three + four + b"".join(line(each) for each in calls)


def run(folder: Path, content: bytes) -> int:
    path = folder / "a.capture"
    path.write_bytes(content)
    return main(["run", str(path)])


def test_structures_are_compared_as_floats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SOURCE.replace(b"global float *b", b"global struct P *b").replace(b"] = 2", b"].x = 2")
    text = b"struct P { float x; };\n" + text
    near = (2 * GIVEN * np.float32(1.00001)).tobytes()
    assert run(tmp_path, capture(near, text=text)) == 0
    assert "1 within the tolerance" in capsys.readouterr().out
    assert run(tmp_path, capture((3 * GIVEN).tobytes(), text=text)) == 1
    assert "error[K732]" in capsys.readouterr().err


def test_a_replay_compares_what_launches_leave(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = (2 * GIVEN).tobytes()
    assert run(tmp_path, capture(right)) == 0
    assert "1 of 1 memory objects equal" in capsys.readouterr().out
    near = (2 * GIVEN * np.float32(1.00001)).tobytes()
    assert run(tmp_path, capture(near)) == 0
    assert "0 of 1 memory objects equal after launches, 1 within" in capsys.readouterr().out
    assert run(tmp_path, capture((3 * GIVEN).tobytes())) == 1
    assert "launch 0 of 'twice': 'b' differs" in capsys.readouterr().err


def test_what_a_capture_does_not_hold_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, capture((2 * GIVEN).tobytes(), "refused what=clSVMAlloc")) == 1
    assert "error[K772]: the program calls clSVMAlloc" in capsys.readouterr().err


def test_a_damaged_capture_gives_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = capture((2 * GIVEN).tobytes())
    codes = set[int]()
    for place in range(20, len(whole), 97):
        flipped = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        codes.add(run(tmp_path, flipped))
        assert "error[K771]" in capsys.readouterr().err
    assert codes == {1}


def test_a_cut_capture_is_read_up_to_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = capture((2 * GIVEN).tobytes())
    assert run(tmp_path, whole[: whole.index(b"output")]) == 0
    said = capsys.readouterr().out
    assert "not the whole run" in said
    assert "twice" in said


def test_another_version_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, line("kcc-capture version=2")) == 1
    assert "error[K770]" in capsys.readouterr().err


def test_headers_that_are_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CPATH", "")
    monkeypatch.setenv("KCC_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(layers, "HEADER_FOLDERS", ())
    with pytest.raises(DiagnosticError) as raised:
        layers.build_layer(tmp_path)
    assert raised.value.diagnostics[0].code == "K773"


def _no_layer(folder: Path) -> Path:
    return folder / "layer.so"


def test_a_program_without_opencl_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(layers, "build_layer", _no_layer)
    assert main(["capture", "-o", str(tmp_path / "x.capture"), "--", "true"]) == 1
    assert "error[K774]" in capsys.readouterr().err


def test_launches_of_a_capture_are_estimated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twice the same launch is one estimate: that of the source with the same launch."""
    path, source = tmp_path / "a.capture", tmp_path / "twice.cl"
    again = "launch number=1 kernel=4 dimensions=1 global=64,1,1 local=32,0,0 offset=0,0,0"
    path.write_bytes(capture((2 * GIVEN).tobytes(), again))
    source.write_bytes(SOURCE)
    assert main(["estimate", str(path), "--gpu", "v100", "--json", "-"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["estimates"]
    launch = ["--global", "64", "--local", "32", "--arg", "a=float[64]", "--arg", "b=float[64]"]
    assert main(["estimate", str(source), "--gpu", "v100", "--json", "-", *launch]) == 0
    (own,) = json.loads(capsys.readouterr().out)["estimates"]
    assert found["configuration"]["kernel"] == "twice"
    assert found["configuration"]["global_size"] == [64]
    assert found["time_us"] == pytest.approx(own["time_us"], rel=0.02)
    assert main(["estimate", str(path), "--gpu", "v100", "--global", "64"]) == 2
    assert "--global" in capsys.readouterr().err


def test_what_cannot_be_replayed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beyond = "fill id=3 pattern=00000000 offset=0 size=4096"
    assert run(tmp_path, capture((2 * GIVEN).tobytes(), beyond)) == 1
    said = capsys.readouterr().err
    assert "error[K776]" in said
    assert "('fill') cannot be replayed" in said


def test_regions_of_buffers_are_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sub-buffer, rectangles, a fill and a copy, then a launch that reads them: what it leaves is
    computed here."""
    square = GIVEN.reshape(8, 8).copy()
    host = np.arange(100, 109, dtype=np.float32).reshape(3, 3)
    (given, text) = data(host.tobytes())
    square[2:5, 1:4] = host  # rows of 32 bytes, a corner at column 4, row 2
    square[0:2, 6:8] = square[2:4, 1:3]
    square[7, :] = 0.5
    square[6, :4] = square[2, :4]
    half = np.float32(0.5).tobytes().hex()
    pitches = "from_pitches=32,0 to_pitches=32,0"
    calls = [
        f"writerect id=2 origin=4,2,0 region=12,3,1 pitches=32,0 host=12,0 data={given}",
        f"copyrect from=2 to=2 from_origin=4,2,0 to_origin=24,0,0 region=8,2,1 {pitches}",
        f"fill id=2 pattern={half} offset=224 size=32",
        "subbuffer id=5 parent=2 flags=1 origin=128 size=128",
        "copy from=2 to=5 from_offset=64 to_offset=64 size=16",
        "launch number=1 kernel=4 dimensions=1 global=64,1,1 local=32,0,0 offset=0,0,0",
    ]
    (after, more) = data((2 * square).tobytes())
    calls.append(f"output launch=1 index=1 object=3 data={after}")
    whole = capture((2 * GIVEN).tobytes(), *calls)
    place = whole.index(b"program id=1")
    assert run(tmp_path, whole[:place] + text + more + whole[place:]) == 0
    assert "2 of 2 memory objects equal" in capsys.readouterr().out
