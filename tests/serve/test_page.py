"""The page that describes the routes."""

from deciban.serve.openapi import page_of


def test_names_of_columns_cannot_break_out_of_the_page():
    operation = {
        "description": "<script>alert(1)</script>",
        "requestBody": {"content": {"application/json": {"examples": {"one": {"value": {"</pre><b>": 1}}}}}},
        "responses": {"200": {"description": "done"}},
    }
    page = page_of({"info": {"title": "deciban", "version": "1"}, "paths": {"/<i>": {"post": operation}}})
    assert "<script>" not in page and "</pre><b>" not in page and "<i>" not in page
    assert "POST /&lt;i&gt;" in page and "200 done" in page
