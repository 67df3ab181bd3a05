"""Rows of the image functions (OpenCL C 1.2, section 6.12.14)."""

from __future__ import annotations

from kcc.frontend.builtins.rows import Row, Section
from kcc.frontend.builtins.signatures import Effect

_COORDINATES = {
    "image1d_t": "int",
    "image1d_buffer_t": "int",
    "image1d_array_t": "int2",
    "image2d_t": "int2",
    "image2d_array_t": "int4",
    "image3d_t": "int4",
}
"""The type of an integer coordinate by image type."""

_TEXELS = {"f": "float4", "i": "int4", "ui": "uint4", "h": "half4"}
"""The type of a texel by suffix of the function's name (half: cl_khr_fp16)."""

_HEIGHT = ("image2d_t", "image2d_array_t", "image3d_t")
_ARRAYS = ("image1d_array_t", "image2d_array_t")


def _reads_and_writes() -> tuple[Row, ...]:
    rows = list[Row]()
    for suffix, texel in _TEXELS.items():
        for image, coordinate in _COORDINATES.items():
            shapes = [f"{texel}(ro:{image}, {coordinate})"]
            if image != "image1d_buffer_t":
                real = coordinate.replace("int", "float")
                shapes += [f"{texel}(ro:{image}, sampler_t, {c})" for c in (coordinate, real)]
            rows += [
                Row(Section.IMAGE, f"read_image{suffix}", shape, effect=Effect.READ)
                for shape in shapes
            ]
            shape = f"void(wo:{image}, {coordinate}, {texel})"
            rows.append(Row(Section.IMAGE, f"write_image{suffix}", shape, effect=Effect.WRITE))
    return tuple(rows)


def _queries() -> tuple[Row, ...]:
    shapes = [
        ("get_image_width get_image_channel_data_type get_image_channel_order", "int", image)
        for image in _COORDINATES
    ]
    shapes += [("get_image_height", "int", image) for image in _HEIGHT]
    shapes += [("get_image_dim", "int2", image) for image in _HEIGHT[:2]]
    shapes += [("get_image_dim", "int4", "image3d_t"), ("get_image_depth", "int", "image3d_t")]
    shapes += [("get_image_array_size", "size_t", image) for image in _ARRAYS]
    return tuple(
        Row(Section.IMAGE, names, f"{result}({access}:{image})")
        for names, result, image in shapes
        for access in ("ro", "wo")
    )


ROWS = _reads_and_writes() + _queries()
