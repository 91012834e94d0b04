"""Reports in a real browser: readable in light and dark, narrow and wide, without scripts, on paper; and no request.

The pages are looked at, too: ``DECIBAN_SCREENSHOTS=folder`` keeps a picture of each.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import deciban as db
from tests.servers.browser import visit
from tests.servers.pages import Panel, adult, make_pages, small_table

pytestmark = pytest.mark.servers

KINDS = ["table", "tree", "text", "net", "large net", "gaussian net", "discovery", "hidden causes", "search"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    made = make_pages(tmp_path_factory.mktemp("reports"))
    assert list(made) == KINDS
    return made


@pytest.fixture(scope="module")
def adult_page(tmp_path_factory):
    """The page of the table of incomes, its model and its rows."""
    if adult() is None:
        pytest.skip("the folder of real data, ../shared/data, is not here")
    X, y = adult()
    model = db.NaiveBayes().fit(X, y)
    return db.report(model, X, y).save(tmp_path_factory.mktemp("adult") / "adult.html"), model, X


def check(browser, path, name):
    """Every width and colour scheme: no message, no request, no fault of accessibility, no scrolling sideways."""
    for scheme in ("light", "dark"):
        for width in (390, 1280):
            with visit(browser, path, width=width, scheme=scheme) as seen:
                keep_picture(seen, f"{name}-{width}-{scheme}")
                assert seen.messages == []
                assert seen.overflow() == []
                assert seen.faults() == []
                assert seen.requests == [], "also none that was blocked"


def keep_picture(seen, name):
    if folder := os.environ.get("DECIBAN_SCREENSHOTS"):
        path = Path(folder) / f"{name.replace(' ', '-')}.png"
        seen.page.screenshot(path=path, full_page=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_sound_in_every_look(browser, pages, kind):
    check(browser, pages[kind], kind)


def test_the_page_of_a_real_table_is_sound_in_every_look(browser, adult_page):
    check(browser, adult_page[0], "adult")


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_readable_without_scripts_and_on_paper(browser, pages, kind):
    with visit(browser, pages[kind], has_scripts=False) as seen:
        headings = seen.page.locator("main h2")
        assert headings.count() >= 4 and all(heading.is_visible() for heading in headings.all())
        assert all(lead.strip() for lead in seen.page.locator("main section > p.lead").all_inner_texts())
        assert seen.page.locator("#making").is_visible()
    with visit(browser, pages[kind], width=794) as seen:  # the width of A4
        seen.page.emulate_media(media="print")
        assert all(held.is_visible() for held in seen.page.locator("details > :not(summary)").all())
        assert seen.page.pdf(format="A4")[:5] == b"%PDF-"


@pytest.mark.parametrize("kind", KINDS)
def test_every_link_of_the_contents_leads_to_its_section(browser, pages, kind):
    with visit(browser, pages[kind]) as seen:
        for link in seen.page.locator("nav a").all():
            target = seen.page.locator(f"[id='{link.get_attribute('href')[1:]}']")
            assert target.count() == 1 and target.locator("h2").inner_text() == link.inner_text()


def same_posterior(panel, model, row):
    """The panel shows what the model predicts for the row."""
    expected = dict(zip(map(str, model.classes_), model.predict_proba(row)[0], strict=True))
    shown = panel.posterior()
    assert shown.keys() == expected.keys()
    assert max(abs(shown[label] - expected[label]) for label in expected) < 1e-6
    assert sum(shown.values()) == pytest.approx(1.0)
    ordered = sorted(expected.values(), reverse=True)
    if not getattr(model, "calibration_", None) and ordered[1] > 1e-12:
        assert panel.total() == pytest.approx(10 * np.log10(ordered[0] / ordered[1]), abs=1e-4)


def change_and_compare(seen, model, X, changes):
    """Five changes, one after the other."""
    panel = Panel(seen.page)
    row = X.iloc[[panel.row]].copy()
    same_posterior(panel, model, row)
    for column, value in changes:
        panel.change(column, value)
        row[column] = row[column].astype(object) if value is None else row[column]
        row.loc[:, column] = value
        same_posterior(panel, model, row.astype({column: X[column].dtype} if value is not None else {}))
    assert seen.messages == [] and seen.requests == []


def test_the_panel_computes_what_the_model_predicts(browser, pages):
    X, y = small_table()
    changes = [("colour", "blue & white"), ("size", -1.25), ("price", 12.5), ("size", None), ("is new", True)]
    changes += [("colour", None), ("count", 7), ("colour", "<b>green</b>")]
    with visit(browser, pages["table"]) as seen:
        change_and_compare(seen, db.NaiveBayes().fit(X, y), X, changes)


def test_the_panel_of_a_tree_computes_what_the_model_predicts(browser, pages):
    X, y = small_table()
    columns = ["colour", "is new"]
    changes = [("colour", "red"), ("is new", True), ("colour", None), ("is new", False), ("colour", "blue & white")]
    with visit(browser, pages["tree"]) as seen:
        change_and_compare(seen, db.TAN().fit(X[columns], y), X[columns], changes)


def test_the_panel_of_a_real_table_computes_what_the_model_predicts(browser, adult_page):
    path, model, X = adult_page
    changes = [("education", "Doctorate"), ("age", 52), ("occupation", None), ("hours_per_week", 60)]
    changes += [("marital_status", "Married-civ-spouse"), ("capital_gain", 15024), ("sex", "Female")]
    with visit(browser, path, width=390, scheme="dark") as seen:
        change_and_compare(seen, model, X, changes)


def test_another_row_can_be_the_start(browser, pages):
    X, y = small_table()
    model = db.NaiveBayes().fit(X, y)
    with visit(browser, pages["table"]) as seen:
        panel = Panel(seen.page)
        for number in (3, 1):
            panel.start_from(number)
            same_posterior(panel, model, X.iloc[[panel.row]])
