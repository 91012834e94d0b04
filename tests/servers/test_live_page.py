"""The live picture of a net in a real browser: what is clicked is answered as the library answers."""

import json
import math

import numpy as np
import pytest

import deciban as db
from deciban.errors import ImpossibleEvidenceError
from deciban.widget.page import live_script
from deciban.widget.rows import LiveRow
from tests.servers.browser import visit
from tests.servers.test_reports import check, keep_picture
from tests.widget.nets import asia

pytestmark = pytest.mark.servers

NET = asia()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return NET.live_page("Chest clinic").save(tmp_path_factory.mktemp("live") / "asia.html")


def shown(page, net=NET):
    """The probabilities that the bars show."""
    rows = page.locator(".row").evaluate_all(
        "rows => rows.map(row => [row.parentElement.dataset.node, row.id, Number(row.dataset.value)])"
    )
    found = {}
    for node, place, value in rows:
        state = net.states[node][int(place.rsplit("-", 1)[1])]
        found.setdefault(node, {})[state] = value
    return found


def row(page, node, state, net=NET):
    return page.locator(f'[data-node="{node}"] .row').nth(net.states[node].index(state))


def agrees(found, net, evidence, likelihoods=None):
    expected = net.marginals(evidence, likelihoods=likelihoods)
    return all(
        math.isclose(found[node][state], p, abs_tol=1e-9) for node in net.nodes for state, p in expected[node].items()
    )


def test_it_is_sound_in_every_look(browser, path):
    check(browser, path, "live net")


def test_a_click_observes_a_shift_click_sets_and_the_same_again_clears(browser, path):
    with visit(browser, path) as seen:
        page = seen.page
        row(page, "asia", "yes").click()
        row(page, "xray", "yes").click()
        assert agrees(shown(page), NET, {"asia": "yes", "xray": "yes"})
        assert shown(page)["lung"]["yes"] == pytest.approx(0.3714871547)
        row(page, "lung", "yes").click(modifiers=["Shift"])
        assert agrees(shown(page), NET.do({"lung": "yes"}), {"asia": "yes", "xray": "yes"})
        assert page.locator(".edge.cut").count() == 1
        keep_picture(seen, "live-net-set")
        row(page, "lung", "yes").click(modifiers=["Shift"])
        row(page, "asia", "yes").click()
        assert agrees(shown(page), NET, {"xray": "yes"})
        page.get_by_role("button", name="Clear all findings").click()
        assert agrees(shown(page), NET, {})
        assert seen.messages == [] and seen.requests == []


def test_the_keyboard_alone_does_the_same_and_is_heard(browser, path):
    with visit(browser, path) as seen:
        page = seen.page
        page.locator('[data-node="xray"]').focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert agrees(shown(page), NET, {"xray": "yes"})
        assert "xray" in page.locator("[aria-live]").inner_text()
        page.keyboard.press("Delete")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("i")
        assert agrees(shown(page), NET.do({"xray": "no"}), {})
        page.keyboard.press("e")
        assert "bits about xray" in page.locator(".detail").inner_text()


def test_a_drag_weighs_a_state(browser, path):
    with visit(browser, path) as seen:
        page = seen.page
        track = row(page, "smoke", "no").locator(".track").bounding_box()
        y = track["y"] + track["height"] / 2
        page.mouse.move(track["x"] + track["width"] - 1, y)
        page.mouse.down()
        page.mouse.move(track["x"] + track["width"] / 2, y, steps=5)
        page.mouse.up()
        page.wait_for_timeout(50)
        found = shown(page)["smoke"]["no"]
        weight = found / (1 - found)  # the prior is one half
        assert 0.4 < weight < 0.6
        assert agrees(shown(page), NET, {}, {"smoke": [1, round(weight, 2)]})


def test_what_is_impossible_is_said_and_can_be_taken_back(browser, path):
    with visit(browser, path) as seen:
        page = seen.page
        row(page, "tub", "yes").click()
        row(page, "either", "no").click()
        assert "impossible" in page.locator(".fault").text_content()
        row(page, "either", "no").click()
        assert page.locator(".fault").text_content() == ""
        assert agrees(shown(page), NET, {"tub": "yes"})


def test_any_clicks_leave_the_numbers_of_the_library(browser, path):
    rng, evidence, actions = np.random.default_rng(1), {}, {}
    with visit(browser, path) as seen:
        for _ in range(150):
            node = str(rng.choice(NET.nodes))
            state = str(rng.choice(NET.states[node]))
            into, other = (actions, evidence) if rng.random() < 0.3 else (evidence, actions)
            row(seen.page, node, state).click(modifiers=["Shift"] if into is actions else [])
            was = into.pop(node, None)
            other.pop(node, None)
            if was != state:
                into[node] = state
            try:
                net = NET.do(actions) if actions else NET
                assert agrees(shown(seen.page), net, evidence)
            except ImpossibleEvidenceError:
                assert "impossible" in seen.page.locator(".fault").text_content()
        assert seen.messages == []


def test_hostile_names_are_text(browser, tmp_path):
    name, state = "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)> \u202eabc 🎈' + "x" * 2000
    net = db.BayesNet.from_tables(
        [(name, "b")], {name: (state, "n"), "b": ("n", "y")}, {name: [0.5, 0.5], "b": [[1, 0], [0, 1]]}
    )
    page = net.live_page(name).save(tmp_path / "hostile.html")
    with visit(browser, page) as seen:
        seen.page.locator(".row").first.click()
        assert shown_values(seen.page) == pytest.approx([1, 0, 1, 0])
        assert seen.messages == [] and seen.requests == [] and seen.overflow() == []


def shown_values(page):
    return page.locator(".row").evaluate_all("rows => rows.map(row => Number(row.dataset.value))")


def test_a_narrow_page_shows_the_nodes_as_a_list(browser, path):
    with visit(browser, path, width=390) as seen:
        page = seen.page
        display = "edge => getComputedStyle(edge).display"
        assert page.locator(".edge").first.evaluate(display) == "none"
        row(page, "asia", "yes").click()
        assert agrees(shown(page), NET, {"asia": "yes"})
        page.get_by_role("button", name="Show the nodes as a list").click()
        assert page.locator(".edge").first.evaluate(display) != "none"


HOST = """<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>A row</title>
<main id="live"></main><script type="module">{script}
const values = {values}, heard = {{}};
render({{ model: {{ get: (name) => values[name], set: (name, value) => {{ values[name] = value; }},
  on: (name, listener) => {{ heard[name] = listener; }}, off() {{}},
  save_changes() {{ window.sent = values.findings; }} }},
  el: document.getElementById("live") }});
window.answer = (given) => {{ values.answer = given; heard["change:answer"](); }};
</script></html>"""


def test_a_row_is_sound_in_every_look_and_answers_changes(browser, tmp_path):
    rng = np.random.default_rng(0)
    warm = rng.normal(18, 6, 80)
    X = {"sky": rng.choice(["rain", "sun"], 80).tolist(), "warm": warm.tolist()}
    model = db.NaiveBayes().fit(X, np.where(warm + rng.normal(0, 3, 80) > 18, "play", "stay"))
    live = LiveRow(model, {"sky": "sun", "warm": 20.0}, X)
    scene = live.scene()
    values = {"scene": scene, "findings": {}, "answer": live.answer({"values": scene["values"]})}
    path = tmp_path / "row.html"
    path.write_text(HOST.format(script=live_script(), values=json.dumps(values)))
    check(browser, path, "live row")
    with visit(browser, path) as seen:
        page = seen.page
        page.get_by_label("warm", exact=True).fill("11.5")
        sent = page.evaluate("sent")
        assert sent["values"] == [1, 11.5] and sent["turn"] == 1
        page.evaluate("given => answer(given)", live.answer(sent))
        shown = page.locator("td[data-value]").evaluate_all("cells => cells.map(cell => Number(cell.dataset.value))")
        expected = model.predict_proba([{"sky": "sun", "warm": 11.5}])[0]
        assert sorted(shown[:2]) == pytest.approx(sorted(expected))
        assert seen.messages == []
