"""Homogeneous regions of a launch: runs of epochs that stall alike.

Huang et al., IPDPS 2014, section IV.B.1, equations 4 and 5. An epoch is as many thread blocks, by
their numbers, as the whole GPU holds at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.sim.sampling.block_profile import LaunchProfile
from kcc.sim.sampling.clustering import complete_linkage

DISTANCE = 0.2
"""Between stall probabilities of a cluster, at most: section V.A."""

VARIATION = 0.3
"""Epochs that vary more stand alone: section V.A."""

NO_REGION = -1


@dataclass(frozen=True, slots=True)
class Region:
    """Thread blocks ``first`` to ``last`` (included); ``number`` is that of their cluster."""

    number: int
    first: int
    last: int

    @property
    def thread_blocks(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True, eq=False)
class Epochs:
    """A launch cut into epochs of ``size`` thread blocks; the last may have fewer.

    ``stall_probability`` is the mean over the blocks of memory requests over warp instructions,
    ``variation`` the larger coefficient of variation of the two."""

    size: int
    thread_blocks: int
    stall_probability: NDArray[np.float64]
    variation: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.stall_probability)

    def blocks(self, epoch: int) -> range:
        """The thread blocks of one."""
        return range(epoch * self.size, min((epoch + 1) * self.size, self.thread_blocks))


def epochs_of(profile: LaunchProfile, size: int) -> Epochs:
    """Equations 4 and 5 for a GPU that holds ``size`` thread blocks."""
    blocks = profile.thread_blocks
    starts = np.arange(0, blocks, size)
    counts = np.minimum(starts + size, blocks) - starts
    own = profile.warp_instructions.astype(np.float64)
    asked = profile.requests.astype(np.float64)
    ratio = np.divide(asked, own, out=np.zeros(blocks), where=own > 0)
    probability = np.add.reduceat(ratio, starts) / counts
    variation = np.maximum(_variation(own, starts, counts), _variation(asked, starts, counts))
    return Epochs(size, blocks, probability, variation)


def _variation(
    values: NDArray[np.float64], starts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The coefficient of variation within each epoch."""
    mean = np.add.reduceat(values, starts) / counts
    apart = values - np.repeat(mean, counts)
    deviation = np.sqrt(np.add.reduceat(apart * apart, starts) / counts)
    return np.divide(deviation, mean, out=np.zeros(len(mean)), where=mean > 0)


def cluster_epochs(
    epochs: Epochs, distance: float = DISTANCE, variation: float = VARIATION
) -> NDArray[np.int64]:
    """The cluster of each epoch; :data:`NO_REGION` for those with outliers."""
    labels = complete_linkage(epochs.stall_probability.reshape(-1, 1), distance)
    return np.where(epochs.variation > variation, NO_REGION, labels)


def regions_of(epochs: Epochs, labels: NDArray[np.int64]) -> tuple[Region, ...]:
    """The table of homogeneous regions (table III): consecutive epochs of one cluster."""
    found = list[Region]()
    for epoch, label in enumerate(labels.tolist()):
        own = epochs.blocks(epoch)
        if label == NO_REGION:
            continue
        if found and found[-1].number == label and found[-1].last + 1 == own.start:
            found[-1] = Region(label, found[-1].first, own.stop - 1)
        else:
            found.append(Region(label, own.start, own.stop - 1))
    return tuple(found)
