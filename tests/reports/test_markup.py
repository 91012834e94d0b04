"""Tables and figures: data never becomes HTML, and every cell has its headers."""

from deciban.reports.markup import Html, details, figure, scroll, table, text


def test_text_is_escaped_cut_and_without_control_characters():
    assert text("<b>\x1b") == "&lt;b&gt;␛"
    assert text("a" * 100, 10) == "aaaaaaaaa…"


def test_a_table_has_headers_with_scope():
    html = table(["column", "rows"], [["<age>", 1200], ["sky", 0.5], ["none", None]], caption="All columns")
    assert '<th scope="col">column</th>' in html and '<th scope="row">&lt;age&gt;</th>' in html
    assert '<td class="number">1,200</td>' in html and '<td class="number">0.5000</td>' in html
    assert "<caption>All columns</caption>" in html and 'tabindex="0"' in html


def test_html_cells_are_kept_and_empty_headers_are_no_headers():
    html = table(["", "a"], [["b", Html("<i>x</i>", "bars")]], caption="c")
    assert '<td class="bars"><i>x</i></td>' in html and "<td></td>" in html and "<th></th>" not in html


def test_figures_and_regions():
    assert figure("<svg/>", "<caption>") == "<figure><svg/><figcaption>&lt;caption&gt;</figcaption></figure>"
    assert figure("<svg/>", kind="drawn") == '<figure class="drawn"><svg/></figure>'
    assert 'aria-label="&quot;q&quot;"' in scroll("x", '"q"')
    assert details("<more>", "x") == "<details><summary>&lt;more&gt;</summary>x</details>"
