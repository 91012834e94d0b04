"""A graph of any kind is drawn with matplotlib and to a file, as the notebook draws it."""

from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest

from deciban.errors import MissingExtraError, ParameterError
from deciban.nets import PAG
from tests.nets.named_graphs import ASIA

mpl.use("Agg")

PARTIAL = PAG([("a", "o→", "b"), ("b", "↔", "c"), ("c", "o—o", "d"), ("d", "—", "e")])
GRAPHS = [ASIA, ASIA.cpdag(), ASIA.moral(), PARTIAL, PAG()]
SPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_files_are_what_their_suffix_says(graph, tmp_path):
    for suffix, begin in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".PDF", b"%PDF")):
        graph.save(tmp_path / f"graph{suffix}")
        assert (tmp_path / f"graph{suffix}").read_bytes().startswith(begin)
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == graph.to_svg()
    graph.save(str(tmp_path / "graph.txt"), format="svg")
    assert (tmp_path / "graph.txt").read_text(encoding="utf-8") == graph.to_svg()


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_equal_graphs_give_equal_files(kind, tmp_path):
    for name in "ab":
        ASIA.save(tmp_path / name, format=kind)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("graph", GRAPHS, ids=repr)
def test_the_plot_has_the_shapes_of_the_svg(graph):
    axes = graph.plot()
    root = ET.fromstring(graph.to_svg())  # noqa: S314  our own
    assert len(axes.lines) == len(list(root.iter(f"{SPACE}polyline")))
    assert [text.get_text() for text in axes.texts] == [text.text for text in root.iter(f"{SPACE}text")]
    shapes = [type(patch).__name__ for patch in axes.patches]
    ends = [line.get(f"marker-{end}", "") for line in root.iter(f"{SPACE}polyline") for end in ("start", "end")]
    rings = sum("ring" in end for end in ends)
    assert shapes.count("Circle") == rings and shapes.count("Polygon") == sum(map(bool, ends)) - rings
    again = graph.plot(ax=axes)
    assert again is axes
    mpl.pyplot.close(axes.figure)


def test_an_unknown_format_is_an_error(tmp_path):
    with pytest.raises(ParameterError, match="svg, png or pdf"):
        ASIA.save(tmp_path / "asia.gif")
    with pytest.raises(ParameterError, match="Did you mean 'png'"):
        ASIA.save(tmp_path / "asia", format="pgn")


def test_without_matplotlib_the_error_says_what_to_install_and_no_file_changes(tmp_path, monkeypatch):
    file = tmp_path / "asia.png"
    file.write_bytes(b"old")

    def refuse(name, *rest):
        raise ImportError(name)

    monkeypatch.setattr("deciban.extras.import_module", refuse)
    with pytest.raises(MissingExtraError, match=r"a png, unlike an svg, needs .*'deciban\[plot\]'"):
        ASIA.save(file)
    with pytest.raises(MissingExtraError, match=r"unlike to_svg\(\)"):
        ASIA.plot()
    assert file.read_bytes() == b"old"
    ASIA.save(tmp_path / "asia.svg")
