"""Captures: what a host program in C or C++ asked of OpenCL, logged by a layer and replayed here.

In: a program to run (:mod:`kcc.capture.layers` builds the layer in ``layer/``), or a capture file.
Out: its calls (:func:`kcc.capture.log.read_capture`), run again over kcc.opencl
(:func:`kcc.capture.replay.replay`)."""
