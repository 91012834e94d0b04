"""temporary"""

import numpy as np


class Margins:
    def __init__(self, y, own, classes, columns):
        self.y, self.classes = y, classes
        self.table = np.zeros((classes - 1, columns, len(y)), np.float32)
        r = np.arange(len(y))
        self.others = np.argsort(np.arange(classes) == y[:, None], axis=1, kind="stable")[:, :-1]
        self.r = r

    def add_logs(self, i, logs):
        self.table[:, i] += (logs[self.r[:, None], self.others] - logs[self.r, self.y][:, None]).T
