"""Reports: one typed model of an analysis, and what is rendered from it.

`kcc.report.analysis.model` says what a report holds, `kcc.report.analysis.build` makes it from
kernels and facts; JSON, terminal text, annotated source and Graphviz text are rendered from the
model alone.
"""
