"""Kernels changed on their typed tree, so that most are valid still and reach the back end."""
