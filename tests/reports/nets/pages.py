"""A page as a test reads it: its sections, tables and text."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The sections of a page by their id: the text of the heading, of the lead, of each table and of all."""

    VOID = frozenset({"meta", "link", "br", "input", "img", "hr"})

    def __init__(self, html):
        super().__init__()
        self.ids, self.titles, self.leads, self.text, self.tables = [], {}, {}, {}, {}
        self._open, self._section = [], None
        self.feed(html)
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag, attrs):
        held = dict(attrs)
        self.ids += [held["id"]] if "id" in held else []
        if tag == "section":
            self._section = held["id"]
            self.text[self._section], self.tables[self._section] = "", []
        if tag == "table" and self._section:
            self.tables[self._section].append([])
        if tag == "tr" and self._section:
            self.tables[self._section][-1].append([])
        if tag in ("td", "th") and self._section:
            self.tables[self._section][-1][-1].append("")
        if tag not in self.VOID:
            self._open.append((tag, held.get("class", "")))

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag
        if tag == "section":
            self._section = None

    def handle_data(self, data):
        if not self._section:
            return
        self.text[self._section] += data
        tags = [tag for tag, _ in self._open]
        if tags[-1] == "h2":
            self.titles[self._section] = data
        if self._open[-1] == ("p", "lead"):
            self.leads[self._section] = self.leads.get(self._section, "") + data
        if "td" in tags or "th" in tags:
            self.tables[self._section][-1][-1][-1] += data

    def handle_startendtag(self, tag, attrs):
        """An element of SVG without content."""


def read(report):
    """The page of a report, after checks that hold for every page."""
    page = Page(report.html)
    assert len(page.ids) == len(set(page.ids)), "ids differ"
    assert page.leads.keys() == page.titles.keys(), "every section is introduced by a sentence"
    assert all(lead.strip().endswith(".") for lead in page.leads.values())
    return page
