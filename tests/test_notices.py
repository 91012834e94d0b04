"""A warning names the user's own line: otherwise it points into the package, and filters by module do not work."""

import warnings

from deciban import errors as notices
from deciban.errors import DecibanWarning


def test_the_warning_is_at_the_caller_outside_the_package():
    inside = {"__name__": "deciban.deep", "warn_user": notices.warn_user, "kind": DecibanWarning}
    exec("def deep():\n    warn_user('look', kind)\ndef shallow():\n    deep()\n", inside)  # noqa: S102
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside["shallow"]()
    assert [(str(one.message), one.category, one.filename) for one in caught] == [("look", DecibanWarning, __file__)]
