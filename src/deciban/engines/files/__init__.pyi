from .source import FileSource as FileSource
