"""Textures and surfaces of PTX: execution against NumPy, and what parameters become."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.types import ImageKind
from kcc.tracegen.image_data import ImageData, Sampler
from tests.frontend.ptx.running import run, unit_of

W, H = 8, 4
HEAD = """.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<20>; .reg .pred %p<4>;
mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 7; shr.u32 %r2, %r0, 3;
ld.param.u64 %rd0, [t]; ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1;
mul.wide.u32 %rd2, %r0, 16; add.s64 %rd1, %rd1, %rd2;
"""
PARAMETERS = ".param .u64 t, .param .u64 out"
STORE = "st.global.v4.f32 [%rd1], {%f0, %f1, %f2, %f3};"
FLOATS = "cvt.rn.f32.u32 %f8, %r1; cvt.rn.f32.u32 %f9, %r2; add.f32 %f8, %f8, 0f3F000000; "


def kernel(body: str, parameters: str = PARAMETERS, before: str = "") -> str:
    return f"{before}.visible .entry k({parameters}) {{\n{HEAD}{body}\nret;\n}}\n"


def picture(channel_type: str = "FLOAT", shape: tuple[int, ...] = (H, W)) -> ImageData:
    kind = (ImageKind.IMAGE1D, ImageKind.IMAGE2D, ImageKind.IMAGE3D)[len(shape) - 1]
    types = {"FLOAT": np.float32, "SIGNED_INT32": np.int32, "UNSIGNED_INT32": np.uint32}
    pixels = np.arange(4 * np.prod(shape), dtype=np.float64).reshape(*shape, 4) - 7
    return ImageData(pixels.astype(types[channel_type]), "RGBA", channel_type, kind)


def result(text: str, image: ImageData, *more: object) -> NDArray[np.float32]:
    out = np.zeros((32, 4), np.float32)
    return run(text, [image, out, *more])[1].view(np.float32).reshape(32, 4)


@pytest.mark.parametrize("coordinates", ["s32", "f32"])
def test_2d(coordinates: str) -> None:
    place = "{%r1, %r2}" if coordinates == "s32" else "{%f8, %f9}"
    text = kernel(
        f"{FLOATS} tex.2d.v4.f32.{coordinates} {{%f0,%f1,%f2,%f3}}, [%rd0, {place}]; {STORE}"
    )
    image = picture()
    np.testing.assert_array_equal(result(text, image), image.pixels.reshape(32, 4))
    (argument, _) = unit_of(text).kernels[0].arguments
    assert argument.type == "image2d_t"


def test_beyond_the_edge_is_the_edge() -> None:
    text = kernel(
        "add.s32 %r1, %r1, 100;"
        f"tex.2d.v4.f32.s32 {{%f0,%f1,%f2,%f3}}, [%rd0, {{%r1, %r2}}]; {STORE}"
    )
    image = picture()
    np.testing.assert_array_equal(result(text, image), np.repeat(image.pixels[:, -1], 8, axis=0))


def test_linear_memory_and_one_component() -> None:
    """What tex1Dfetch becomes."""
    text = kernel(
        "tex.1d.v4.s32.s32 {%r4,%r5,%r6,%r7}, [%rd0, {%r0}]; cvt.rn.f32.s32 %f0, %r6;"
        "mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1;" + STORE
    )
    image = picture("SIGNED_INT32", (32,))
    np.testing.assert_array_equal(result(text, image)[:, 0], image.pixels[:, 2])
    assert unit_of(text).kernels[0].arguments[0].type == "image1d_buffer_t"


def test_3d_and_level() -> None:
    text = kernel(
        "shr.u32 %r3, %r2, 1; and.b32 %r2, %r2, 1; cvt.rn.f32.u32 %f8, %r1;"
        "cvt.rn.f32.u32 %f9, %r2; cvt.rn.f32.u32 %f10, %r3; mov.f32 %f11, 0f00000000;"
        "tex.level.3d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f8, %f9, %f10, %f10}], %f11;" + STORE
    )
    image = picture(shape=(2, 2, W))
    np.testing.assert_array_equal(result(text, image), image.pixels.reshape(32, 4))


def test_layers() -> None:
    image = ImageData(
        picture().pixels.reshape(2, 2, W, 4), "RGBA", "FLOAT", ImageKind.IMAGE2D_ARRAY
    )
    text = kernel(
        "shr.u32 %r3, %r2, 1; and.b32 %r2, %r2, 1;"
        "tex.a2d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%rd0, {%r3, %r1, %r2, %r2}];" + STORE
    )
    np.testing.assert_array_equal(result(text, image), image.pixels.reshape(32, 4))


def test_gather() -> None:
    """At the corner between four texels: lower left, lower right, upper right, upper left."""
    text = kernel(
        "cvt.rn.f32.u32 %f8, %r1; cvt.rn.f32.u32 %f9, %r2; add.f32 %f8, %f8, 0f3F800000;"
        "add.f32 %f9, %f9, 0f3F800000;"
        "tld4.g.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f8, %f9}];" + STORE
    )
    image = picture()
    padded = np.pad(image.pixels[..., 1], ((0, 1), (0, 1)), mode="edge")
    corners = padded[1:, :-1], padded[1:, 1:], padded[:-1, 1:], padded[:-1, :-1]
    np.testing.assert_array_equal(result(text, image), np.stack(corners, -1).reshape(32, 4))


def test_reference_of_the_module_is_a_parameter() -> None:
    """And its size is asked for."""
    text = kernel(
        "txq.width.b32 %r4, [grid]; txq.height.b32 %r5, [grid]; cvt.rn.f32.u32 %f1, %r4;"
        "tex.2d.v4.f32.s32 {%f0,%f4,%f5,%f6}, [grid, {%r1, %r2}];"
        "cvt.rn.f32.u32 %f2, %r5; mov.f32 %f3, %f0;" + STORE,
        before=".global .texref grid;\n",
    )
    arguments = unit_of(text).kernels[0].arguments
    assert [(a.name, a.type) for a in arguments] == [
        ("t", "ulong"), ("out", "float*"), ("grid", "image2d_t"),
    ]  # fmt: skip
    image, out = picture(), np.zeros((32, 4), np.float32)
    found = run(text, [0, out, image])[1].view(np.float32).reshape(32, 4)
    first = image.pixels[..., 0].reshape(-1)
    expected = np.stack([first, np.full(32, W), np.full(32, H), first], -1)
    np.testing.assert_array_equal(found, expected)


SAMPLED = "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, s, {%f8, %f9}];"
WIDE = """cvt.rn.f32.u32 %f8, %r1; cvt.rn.f32.u32 %f9, %r2; div.rn.f32 %f8, %f8, 0f40800000;
div.rn.f32 %f9, %f9, 0f40800000;"""


def test_sampler_of_the_module_and_of_the_launch() -> None:
    """Coordinates from 0 to 1 and around: x = 2 lane / W, y = row / H."""
    settings = "{ addr_mode_0 = wrap, addr_mode_1 = wrap, filter_mode = nearest }"
    text = kernel(WIDE + SAMPLED + STORE, before=f".global .samplerref s = {settings};\n")
    image = picture()
    expected = image.pixels[:, np.arange(8) * 2 % 8].reshape(32, 4)
    np.testing.assert_array_equal(result(text, image), expected)
    given = kernel(WIDE + SAMPLED + STORE, before=".global .samplerref s;\n")
    sampler = Sampler("repeat", "nearest", normalized=True)
    np.testing.assert_array_equal(result(given, image, sampler), expected)


def test_surfaces() -> None:
    """X counts bytes."""
    text = kernel(
        "shl.b32 %r3, %r1, 4; suld.b.2d.v4.b32.trap {%f4,%f5,%f6,%f7}, [%rd0, {%r3, %r2}];"
        "add.f32 %f0, %f4, 0f3F800000; mov.f32 %f1, %f5; mov.f32 %f2, %f6; mov.f32 %f3, %f7;"
        "sust.b.2d.v4.b32.trap [%rd0, {%r3, %r2}], {%f0, %f1, %f2, %f3};" + STORE
    )
    image = picture()
    out = np.zeros((32, 4), np.float32)
    buffers = run(text, [image, out])
    expected = image.pixels.reshape(32, 4).astype(np.float32) + np.array([1, 0, 0, 0], np.float32)
    np.testing.assert_array_equal(buffers[1].view(np.float32).reshape(32, 4), expected)
    np.testing.assert_array_equal(buffers[0].view(np.float32).reshape(32, 4), expected)


def test_surface_of_integers() -> None:
    text = kernel(
        "shl.b32 %r3, %r1, 4; suld.b.2d.v4.b32.clamp {%r4,%r5,%r6,%r7}, [%rd0, {%r3, %r2}];"
        "add.u32 %r4, %r4, 5; sust.p.2d.v4.b32.clamp [%rd0, {%r1, %r2}], {%r4, %r5, %r6, %r7};"
    )
    image = picture("UNSIGNED_INT32")
    found = run(text, [image, np.zeros(4, np.float32)])[0].view(np.uint32).reshape(H, W, 4)
    np.testing.assert_array_equal(
        found, image.pixels.astype(np.uint32) + np.array([5, 0, 0, 0], np.uint32)
    )


@pytest.mark.parametrize(
    "text", ["tex.cube.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd0, {%f8, %f9, %f8, %f8}];",
             "tex.2d.v2.f16x2.f32 {%r4,%r5}, [%rd0, {%f8, %f9}];",
             "suld.b.2d.v2.b64.trap {%rd4,%rd5}, [%rd0, {%r3, %r2}];"],
)  # fmt: skip
def test_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        unit_of(kernel(text))
    assert error.value.diagnostics[0].code == "K431"
