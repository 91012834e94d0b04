"""Files with a right checksum and wrong content are refused when they are read, before anything computes with them."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import FileError
from deciban.storage import codec

TEXTS, LABELS = ["sun sea", "rain wind", "sun sand", "hail"], ["dry", "wet", "dry", "wet"]


def changed(model, folder, change):
    """The model's file, with other content and the checksum that belongs to it."""
    path = folder / "model.deciban"
    db.save(model, path)
    header, arrays = codec.unpack(path.read_bytes(), "model")
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    path.write_bytes(codec.pack(header, arrays))
    return path


def put(name, at, value):
    def change(_, arrays):
        full = next(held for held in arrays if held.endswith(name))
        arrays[full][at] = value

    return change


def cut(name, rows):
    def change(_, arrays):
        full = next(held for held in arrays if held.endswith(name))
        arrays[full] = arrays[full][rows].copy()

    return change


@pytest.mark.parametrize(
    "change",
    [
        put(".indices", 0, 2**32 - 1),
        put(".starts", 1, 2**62),
        put(".starts", 1, -1),
        put(".offsets", 1, 2**62),
        put(".offsets", -1, 1000),
        put(".bytes", 0, 0xFF),
        put(".occurrences", 0, -5),
        cut(".occurrences", slice(1)),
        cut(".documents", slice(0)),
        cut(".offsets", slice(0, 3)),
        cut("class_counts", slice(0, 1)),
    ],
)
@pytest.mark.parametrize(
    "model", [db.TextNB(), db.TextNB(ngram_range=(1, 2)), db.LogCountRatio(), db.TextEM()], ids=repr
)
def test_every_index_of_a_text_model_is_checked(model, change, tmp_path):
    fitted = type(model)(**model.get_params(deep=False)).fit(TEXTS, LABELS)
    with pytest.raises(FileError, match="cannot read it"):
        db.load(changed(fitted, tmp_path, change))


@pytest.mark.parametrize("change", [put("cells", (0, 0), -1), cut("cells", slice(1)), put("sets", (0, 0), 99)])
@pytest.mark.parametrize("make", [db.TAN, db.AODE])
def test_counts_of_sets_are_checked(make, change, tmp_path):
    X = np.arange(24).reshape(8, 3) % 2
    with pytest.raises(FileError):
        db.load(changed(make().fit(X, np.arange(8) % 2), tmp_path, change))


@pytest.mark.parametrize("change", [cut("coef", slice(0)), put("coef", (0, 0), np.nan), cut("intercept", slice(0))])
def test_weights_of_a_linear_classifier_are_checked(change, tmp_path):
    with pytest.raises(FileError):
        db.load(changed(db.LogCountRatio().fit(TEXTS, LABELS), tmp_path, change))
