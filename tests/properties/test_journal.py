"""Whatever is learned, forgotten, folded, repeated and restarted: the model is that of the rows that remain."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

import deciban as db
from deciban.serve.learning.changes import Change
from deciban.serve.learning.journaled_model import JournaledModel, Request
from deciban.storage.model_files import file_bytes
from tests.serve.learning.conftest import FIRST, LABELS, ROWS, fitted, in_memory

FIRST_FILE = file_bytes(fitted(range(FIRST)))

WORKER, RANDOM = st.integers(0, 1), st.randoms(use_true_random=False)
INDICES = st.lists(st.integers(FIRST, len(ROWS) - 1), min_size=1, max_size=5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("learn"), WORKER, INDICES),
        st.tuples(st.sampled_from(["forget", "repeat", "misuse", "refuse"]), WORKER, RANDOM),
        st.tuples(st.sampled_from(["fold", "open", "refresh"]), WORKER, st.none()),
    ),
    min_size=1,
    max_size=14,
)


class Clients:
    """What two workers were asked to do, and the rows that must remain."""

    def __init__(self, path):
        self.path, self.workers = path, [JournaledModel(path), JournaledModel(path)]
        self.learned, self.made = [], []

    def change(self, worker, action, indices):
        change = Change.of(action, [ROWS[i] for i in indices], [LABELS[i] for i in indices])
        request = Request(change, f"key {len(self.made)}", new_classes=True)
        (answer,) = self.workers[worker].commit([request])
        assert answer.content["rows"] == len(indices)
        assert not answer.is_repeated
        self.made.append((request, answer))

    def learn(self, worker, indices):
        self.change(worker, "learn", indices)
        self.learned += indices

    def forget(self, worker, random):
        if not self.learned:
            return
        gone = random.sample(self.learned, random.randint(1, len(self.learned)))
        self.change(worker, "forget", gone)
        for index in gone:
            self.learned.remove(index)

    def repeat(self, worker, random):
        """The same request gives the same answer."""
        if self.made:
            request, answer = random.choice(self.made)
            (again,) = self.workers[worker].commit([request])
            assert again.is_repeated
            assert again.content == answer.content

    def misuse(self, worker, random):
        """A used key with other rows is refused."""
        if self.made:
            other = Request(Change.of("learn", ROWS[:7], LABELS[:7]), random.choice(self.made)[0].key)
            (error,) = self.workers[worker].commit([other])
            assert isinstance(error, db.errors.ReusedKeyError)

    def refuse(self, worker, random):
        """Rows that the model has not are not forgotten, and a batch with one of them stays whole."""
        rows = [*ROWS[: random.randint(0, 3)], {"sky": "hail", "warm": 3, "wind": True}]
        (error,) = self.workers[worker].commit([Request(Change.of("forget", rows, ["play"] * len(rows)))])
        assert isinstance(error, db.errors.DecibanError)

    def fold(self, worker, _):
        self.workers[worker].fold()

    def refresh(self, worker, _):
        self.workers[worker].refresh()

    def open(self, worker, _):
        self.workers[worker].close()
        self.workers[worker] = JournaledModel(self.path)

    def check(self):
        wanted = fitted([*range(FIRST), *self.learned])
        for worker in self.workers:
            worker.refresh()
            model = worker.state.model
            assert model.tally_.class_counts.tolist() == wanted.tally_.class_counts.tolist()
            assert [model.tally_.parts[i] for i in (0, 2)] == [wanted.tally_.parts[i] for i in (0, 2)]
            assert model.tally_.parts[1].is_close(wanted.tally_.parts[1])
            np.testing.assert_allclose(model.predict_proba(ROWS[:9]), wanted.predict_proba(ROWS[:9]), rtol=1e-9)
        first, second = (worker.state.model for worker in self.workers)
        assert first.tally_ == second.tally_
        assert np.array_equal(first.predict_proba(ROWS[:9]), second.predict_proba(ROWS[:9]))


@settings(max_examples=20)
@given(STEPS)
def test_the_model_is_that_of_the_rows_that_remain(steps):
    with in_memory() as folder:
        path = folder / "days.deciban"
        path.write_bytes(FIRST_FILE)
        clients = Clients(path)
        for name, worker, what in steps:
            getattr(clients, name)(worker, what)
        clients.check()
        for worker in clients.workers:
            worker.close()
