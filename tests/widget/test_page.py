"""A page that answers without Python gives the same probabilities."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from deciban.errors import InputError, TooLargeError
from deciban.widget.answers import LiveNet
from deciban.widget.page import live_script, propagation
from tests.widget.nets import asia, mixed, wide

ASK = """
import fs from "node:fs";
const { net, asked } = JSON.parse(fs.readFileSync(0));
const engine = new Propagation(net);
console.log(JSON.stringify(asked.map((findings) => engine.beliefs(findings))));
"""


NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_the_script_agrees_with_python(tmp_path):
    net, rng = asia(), np.random.default_rng(0)
    live, asked = LiveNet(net), []
    for _ in range(200):
        findings = {"observed": {}, "likelihoods": {}, "interventions": {}}
        for index in rng.choice(8, rng.integers(0, 5), replace=False).tolist():
            kind = rng.choice(list(findings))
            findings[kind][str(index)] = rng.random(2).tolist() if kind == "likelihoods" else int(rng.integers(2))
        asked.append(findings)
    script = tmp_path / "ask.mjs"
    script.write_text(live_script() + ASK)
    given = json.dumps({"net": propagation(net), "asked": asked})
    ran = subprocess.run([NODE, script], input=given, capture_output=True, text=True, check=True)
    impossible = 0
    for findings, found in zip(asked, json.loads(ran.stdout), strict=True):
        answer = live.answer(findings)
        if found is None:
            assert "error" in answer
            impossible += 1
            continue
        assert found["log"] == pytest.approx(answer["log"], abs=1e-9)
        for shown, expected in zip(found["beliefs"], answer["now"], strict=True):
            assert shown == pytest.approx(expected["p"], abs=1e-9)
    assert 0 < impossible < 100


def test_the_page_is_one_file_that_asks_for_nothing(tmp_path):
    page = asia().live_page("Chest <clinic>")
    assert "Chest &lt;clinic&gt;" in page.html and "default-src 'none'" in page.html
    assert "http://" not in page.html.replace("http://www.w3.org/2000/svg", "")
    assert len(live_script().encode()) < 80_000
    assert page.save(tmp_path / "net.html").stat().st_size > 10_000


def test_nets_that_a_page_cannot_hold_are_refused(monkeypatch):
    with pytest.raises(InputError, match="numbers"):
        mixed().live_page()
    monkeypatch.setattr("deciban.widget.page._MOST_CELLS", 100)
    with pytest.raises(TooLargeError, match="widget"):
        wide(60).live_page()
