"""Random programs with defined results, run by several engines that must agree."""
