"""Charts that Vega-Lite draws, where the extra `plots` is installed.

In: numbers of a report. Out: SVG that stands in a page, or nothing. Enter at
:mod:`kcc.report.plots.render`; a module for each chart gives its specification.
"""
