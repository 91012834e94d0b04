"""Scoring of Spark frames; tests/servers/test_spark_models.py scores on a cluster."""

import subprocess
import sys

import pytest

from deciban import errors
from deciban.engines.spark import label_kind
from deciban.models import NaiveBayes

WITHOUT_SPARK = "import sys, deciban; print('pyspark' in sys.modules, hasattr(deciban.NaiveBayes(), 'transform'))"


def test_a_classifier_is_no_transformer_for_scikit_learn():
    """A pipeline would take it for a step that changes X, and `check_estimator` would test it as one."""
    done = subprocess.run([sys.executable, "-c", WITHOUT_SPARK], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"]


def test_arguments_of_transform_are_no_metadata():
    assert not hasattr(NaiveBayes, "set_transform_request")


def test_only_plain_labels_have_a_type_in_spark():
    model = NaiveBayes().fit({"x": ["a", "b"]}, [True, False])
    assert label_kind(model.classes_) == "boolean"
    assert label_kind(NaiveBayes().fit({"x": ["a", "b"]}, [3, 7]).classes_) == "long"
    dates = NaiveBayes().fit({"x": ["a", "b"]}, [b"a", b"b"])
    with pytest.raises(errors.ParameterError, match="no column of Spark holds them"):
        label_kind(dates.classes_)


@pytest.mark.parametrize("transform", [None, "default", "pandas", "polars"])
def test_a_pipeline_may_set_the_output_of_all_steps(transform):
    """A classifier has no output but arrays, whether pyspark is imported or not."""
    model = NaiveBayes()
    assert model.set_output(transform=transform) is model
