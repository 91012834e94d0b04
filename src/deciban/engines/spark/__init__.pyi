from .detect import is_spark as is_spark
from .source import SparkSource as SparkSource
