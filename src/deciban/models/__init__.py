"""The models: one likelihood a file, each a scikit-learn estimator."""

from deciban.models.aode import AODE
from deciban.models.base import BayesClassifier
from deciban.models.bernoulli import BernoulliNB
from deciban.models.categorical import CategoricalNB
from deciban.models.complement import ComplementNB
from deciban.models.correlation import correlation_filter
from deciban.models.file import load, save
from deciban.models.gaussian import GaussianNB
from deciban.models.joint import JointBayes
from deciban.models.multinomial import MultinomialNB
from deciban.models.naive import NaiveBayes
from deciban.models.net import BayesNetClassifier
from deciban.models.ratio import LogCountRatio
from deciban.models.semisupervised import TextEM
from deciban.models.tan import TAN
from deciban.models.text import TextNB
from deciban.models.text_column import Text

__all__ = [
    "AODE",
    "TAN",
    "BayesClassifier",
    "BayesNetClassifier",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "JointBayes",
    "LogCountRatio",
    "MultinomialNB",
    "NaiveBayes",
    "Text",
    "TextEM",
    "TextNB",
    "correlation_filter",
    "load",
    "save",
]
