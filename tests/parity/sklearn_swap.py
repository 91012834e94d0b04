"""A pytest plugin: puts deciban's classes in the place of scikit-learn's before its tests are collected.

The classes are swapped when pytest loads the plugin, not when the module is imported: the suite imports every module
for its doctests, and would compare deciban with itself from then on.
"""

import sklearn.naive_bayes
from sklearn.feature_extraction import text

import deciban


def pytest_configure():
    for name in ("BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"):
        setattr(sklearn.naive_bayes, name, getattr(deciban, name))
    for name in ("CountVectorizer", "HashingVectorizer"):
        setattr(text, name, getattr(deciban, name))
    text.TfidfVectorizer.__bases__ = (deciban.CountVectorizer,)  # it counts with deciban's, too
