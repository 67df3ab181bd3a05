"""Seeded inputs have the properties their names promise, and are the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from kcc import inputs
from kcc.inputs import Graph, SparseMatrix

GRAPHS = (inputs.grid_graph, inputs.uniform_graph, inputs.power_law_graph, inputs.road_graph)
MATRICES = (inputs.banded_matrix, inputs.uniform_matrix, inputs.skewed_matrix)
IMAGES = (inputs.smooth_image, inputs.noise_image, inputs.checkers_image, inputs.photo_image)
POINTS = (inputs.uniform_points, inputs.clustered_points, inputs.ring_points)

Array = NDArray[Any]


def name_of(value: object) -> str:
    return getattr(value, "__name__", str(value))


def as_networkx(graph: Graph) -> Any:
    out: Any = cast(Any, nx).DiGraph()
    out.add_nodes_from(range(graph.nodes))
    out.add_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    return out


@pytest.mark.parametrize("make", GRAPHS, ids=name_of)
@pytest.mark.parametrize("nodes", [2, 3, 50, 997])
def test_graphs(make: Callable[..., Graph], nodes: int):
    graph = make(nodes, 6 * nodes, 3)
    assert graph.starts.dtype == graph.targets.dtype == np.int32
    assert graph.nodes == nodes
    plain = as_networkx(graph)
    assert plain.number_of_edges() == graph.targets.size, "an edge repeats"
    assert all(plain.has_edge(b, a) for a, b in plain.edges)
    assert not (graph.sources == graph.targets).any()
    assert nx.is_strongly_connected(plain)
    keys = graph.sources.astype(np.int64) * nodes + graph.targets
    assert (np.diff(keys) > 0).all(), "rows are not ascending"
    again = make(nodes, 6 * nodes, np.random.Generator(np.random.PCG64(3)))
    np.testing.assert_array_equal(graph.targets, again.targets)


@pytest.mark.parametrize("make", GRAPHS[1:], ids=name_of)
def test_graphs_follow_their_seed_and_density(make: Callable[..., Graph]):
    thin, dense = make(2000, 8000, 1), make(2000, 24000, 1)
    assert 0.6 * 8000 < thin.targets.size < 1.2 * 8000
    assert 0.6 * 24000 < dense.targets.size < 1.2 * 24000
    other = make(2000, 8000, 2)
    assert other.targets.size != thin.targets.size or (other.targets != thin.targets).any()


def test_graphs_may_be_left_apart():
    graph = inputs.uniform_graph(1000, 600, 1, connected=False)
    assert not nx.is_strongly_connected(as_networkx(graph))


def test_shapes_of_graphs_differ():
    longest = {make: int(make(10_000, 60_000, 1).degrees.max()) for make in GRAPHS}
    assert longest[inputs.grid_graph] == 4
    assert longest[inputs.road_graph] <= 20
    assert longest[inputs.uniform_graph] <= 25
    assert longest[inputs.power_law_graph] > 200
    heavier = inputs.power_law_graph(10_000, 60_000, 1, skew=3)
    assert heavier.degrees.max() > 2 * longest[inputs.power_law_graph]


@pytest.mark.parametrize("distinct", [False, True])
def test_weights_are_those_of_edges(distinct: bool):
    graph = inputs.with_weights(inputs.road_graph(300, 1800, 1), 5, largest=9, distinct=distinct)
    found: dict[tuple[int, int], int] = {}
    for a, b, weight in zip(graph.sources, graph.targets, graph.weights, strict=True):
        edge = (min(int(a), int(b)), max(int(a), int(b)))
        assert found.setdefault(edge, int(weight)) == weight
    edges = graph.targets.size // 2
    assert set(found.values()) == set(range(1, edges + 1) if distinct else range(1, 10))


@pytest.mark.parametrize("make", MATRICES, ids=name_of)
def test_matrices_in_all_forms(make: Callable[..., SparseMatrix]):
    rows = 301
    matrix = make(rows, 3612, 1, longest=40)
    assert 0.8 * 3612 < matrix.values.size < 1.05 * 3612
    assert matrix.lengths.max() <= 40
    dense = np.zeros((rows, rows))
    dense[matrix.entry_rows, matrix.columns] = matrix.values
    assert np.count_nonzero(dense) == matrix.values.size, "an entry repeats"
    vector = inputs.random_matrix(1, rows, 2)[0]
    np.testing.assert_allclose(matrix.times(vector), dense @ vector, atol=1e-12)

    padded = inputs.to_ellpack(matrix, 40)
    values, columns = padded.values.reshape(40, rows), padded.columns.reshape(40, rows)
    found = (values.astype(np.float64) * vector[columns]).sum(axis=0)
    np.testing.assert_allclose(found, dense @ vector, atol=1e-12)
    np.testing.assert_array_equal(padded.lengths, matrix.lengths)
    with pytest.raises(ValueError, match="entries, more than 2"):
        inputs.to_ellpack(matrix, 2)

    jagged = inputs.to_jagged(matrix)
    found = np.zeros(rows)
    for first, end in zip(jagged.diagonals, jagged.diagonals[1:], strict=False):
        part = slice(int(first), int(end))
        products = jagged.values[part].astype(np.float64) * vector[jagged.columns[part]]
        found[jagged.order[: products.size]] += products
    np.testing.assert_allclose(found, dense @ vector, atol=1e-12)
    assert (np.diff(jagged.lengths) <= 0).all()


def test_shapes_of_matrices_differ():
    banded, uniform, skewed = (make(4096, 131_072, 1) for make in MATRICES)
    assert np.abs(banded.columns - banded.entry_rows).max() <= 16
    assert uniform.lengths.max() < 3 * 32
    assert skewed.lengths.max() > 20 * 32


@pytest.mark.parametrize("make", IMAGES, ids=name_of)
@pytest.mark.parametrize("shape", [(1, 1), (37, 60), (128, 128)])
def test_images(make: Callable[..., Array], shape: tuple[int, int]):
    image = make(*shape, 4)
    assert image.shape == shape
    assert image.dtype == np.float32
    assert (image >= 0).all()
    assert (image < 1).all()
    np.testing.assert_array_equal(image, make(*shape, 4))
    levels = inputs.to_bytes(image)
    assert levels.dtype == np.uint8
    assert np.abs(levels / 256 - image).max() <= 1 / 256


def test_photographs_have_amplitudes_that_fall_with_frequency():
    slopes: dict[str, float] = {}
    for make in (inputs.photo_image, inputs.noise_image):
        spectrum = np.abs(np.fft.fft2(make(256, 256, 1)))
        frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(256), np.fft.fftfreq(256)))
        near = [spectrum[(frequency > f) & (frequency < 1.3 * f)].mean() for f in (0.02, 0.3)]
        slopes[make.__name__] = float(np.log(near[1] / near[0]) / np.log(0.3 / 0.02))
    assert -1.8 < slopes["photo_image"] < -0.8
    assert -0.1 < slopes["noise_image"] < 0.1


@pytest.mark.parametrize("make", POINTS, ids=name_of)
@pytest.mark.parametrize("dimensions", [2, 3, 34])
def test_points(make: Callable[..., Array], dimensions: int):
    points = make(500, dimensions, 9)
    assert points.shape == (500, dimensions)
    assert points.dtype == np.float32
    assert (points >= 0).all()
    assert (points < 1).all()
    np.testing.assert_array_equal(points, make(500, dimensions, 9))


def test_rings_are_round():
    radius = np.hypot(*(inputs.ring_points(1000, 2, 1) - np.float32(0.5)).T)
    assert 0.34 < radius.mean() < 0.36
    assert radius.std() < 0.03


def test_dense_matrices():
    dominant, definite = inputs.dominant_matrix(60, 1), inputs.spd_matrix(60, 1)
    for matrix in (dominant, definite):
        diagonal = np.abs(np.diagonal(matrix))
        assert (2 * diagonal - np.abs(matrix).sum(axis=1) >= 0.99).all()
    np.testing.assert_array_equal(definite, definite.T)
    assert np.linalg.eigvalsh(definite).min() > 0


def test_sequences():
    first = inputs.random_sequence(2000, 1, letters=20)
    assert set(first.tolist()) == set(range(20))
    second = inputs.related_sequence(first, 2, letters=20)
    assert second.size == first.size
    assert second.dtype == np.int32
    # Nearly all runs of eight letters of one are not in an unrelated one.
    runs = {tuple(cast(list[int], first[i : i + 8].tolist())) for i in range(first.size - 8)}
    hits = sum(tuple(cast(list[int], second[i : i + 8].tolist())) in runs for i in range(1992))
    assert hits > 400


def test_keys():
    ordered = inputs.ordered_keys(5000, 1)
    assert (np.diff(ordered.astype(np.int64)) >= 0).all()
    nearly = inputs.ordered_keys(5000, 1, misplaced=0.1)
    np.testing.assert_array_equal(np.sort(nearly), ordered)
    assert 0 < (nearly != ordered).sum() <= 500
    assert len(set(inputs.few_keys(5000, 1, distinct=7).tolist())) == 7
    assert inputs.random_keys(5000, 1).max() > 2**31
