"""The words of a trace's stream, shared by who writes them and who reads them.

A stream is a sequence of 32-bit words. Its state (for each memory instruction the address and the
pattern last written, 0 at first) is forgotten where a chunk begins:

- a warp begins, or continues after a barrier: :data:`HEADER_MARK`, thread block (low word, high
  word), warp; the last mask is forgotten;
- a segment: its number, then the mask of active lanes (one word per 32 lanes); with
  :data:`SAME_MASK` set in the number the mask is that of the segment before and not repeated;
- each memory instruction of the segment, in order, if addresses are traced: a word with a tag in
  its upper 3 bits and below them, signed, how far an address is from the one last written for the
  instruction. Tag 0: too far, 64 bits follow, the tag in their upper 3 bits, the address below.
"""

from __future__ import annotations

TAG_FAR, TAG_SAME, TAG_UNIFORM, TAG_SEQUENTIAL, TAG_PATTERN = range(5)
"""What follows from the address: nothing yet; address plus the pattern last written; the same for
all lanes; address plus lane times the size of the access; a new pattern, one signed word for each
active lane (0 in the others)."""

TAG_SHIFT = 29
FAR_SHIFT = 61
REACH = 1 << 28
"""How far, less than this, an address may be from the last one to be written in one word."""

SAME_MASK = 1 << 30
HEADER_MARK = 0xFFFF_FFFE
HEADER_WORDS = 4
