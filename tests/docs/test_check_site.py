"""The check of the built site finds broken links and files from other hosts, and nothing else."""

from docs.check_site import faults

GOOD = (
    '<a href="b.html#there">b</a> <a href="https://example.org/x">out</a> <img src="p.svg"> <a href="#here" id="here">'
)


def test_a_good_site_has_no_faults(tmp_path):
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<h2 id="there">There</h2> <a href="a.html">a</a> <a href=".">start</a>')
    (tmp_path / "index.html").write_text("")
    (tmp_path / "p.svg").write_text("")
    assert faults(tmp_path) == []


def test_links_that_lead_nowhere_and_foreign_files_are_named(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="gone.html">x</a> <a href="#gone">y</a> <script src="https://example.org/s.js"></script>'
    )
    assert faults(tmp_path) == [
        "a.html: loads https://example.org/s.js from another host",
        "a.html: gone.html leads nowhere",
        "a.html: #gone leads nowhere",
    ]
