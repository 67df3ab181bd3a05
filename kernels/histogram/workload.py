"""Histograms of a sequence of frames: each by atomics in global memory and by partial histograms
that a second kernel merges.

Bytes by seed % 3: a photograph (few neighbouring levels), noise, checkers (two levels, the worst
contention). tiny: 2 frames of 900 words of four bytes; small: 2 of 65,536; large: 4 of 16,777,216.
"""

from __future__ import annotations

import math

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

FRAMES = (inputs.photo_image, inputs.noise_image, inputs.checkers_image)
BINS = 256
BRIGHTER = 3


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    side = math.isqrt(4 * s.words - 1) + 1
    image = inputs.to_bytes(FRAMES[seed % len(FRAMES)](side, side, rng)).ravel()[: 4 * s.words]

    counts = np.bincount(image, minlength=BINS)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    direct, partial, merge = device.kernels("histogram_global", "histogram256", "mergeHistogram256")
    data, count = device.buffer(image), np.uint32(s.words)
    histogram = device.zeros(BINS, np.uint32)
    partials = device.zeros(s.groups * BINS, np.uint32)
    merged = device.zeros(BINS, np.uint32)

    for frame in range(s.frames):
        # Every frame is brighter, and wraps around.
        device.write(data, image + np.uint8(BRIGHTER * frame))
        wanted = np.roll(counts, BRIGHTER * frame)
        device.write(histogram, np.zeros(BINS, np.uint32))
        whole = (workload.roundup(s.words, s.GROUP),)
        direct(queue, whole, (s.GROUP,), histogram, data, count)
        workload.check(f"global, frame {frame}", device.read(histogram, np.uint32), wanted)
        device.write(merged, np.zeros(BINS, np.uint32))
        partial(queue, (s.groups * s.GROUP,), (s.GROUP,), partials, data, count)
        merge(queue, (BINS * s.GROUP,), (s.GROUP,), merged, partials, np.uint32(s.groups))
        workload.check(f"merged, frame {frame}", device.read(merged, np.uint32), wanted)
