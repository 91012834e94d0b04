from .source import SparkSource as SparkSource
from .source import add_scores as add_scores
from .source import label_kind as label_kind
