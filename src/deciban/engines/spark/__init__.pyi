from .detect import is_spark as is_spark
from .scoring import add_scores as add_scores
from .scoring import label_kind as label_kind
from .source import SparkSource as SparkSource
