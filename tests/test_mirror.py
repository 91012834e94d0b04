"""Every module has its test at the same path: `src/deciban/a/b.py` ↔ `tests/a/test_b.py`.

Without this, a reader who changes a module does not know which test to look at, and a module may have none.
"""

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "deciban"

ELSEWHERE = {
    # Names of types only.
    "types.py": "test_layers.py",
    # The demo is tested as a user sees it: by what it prints.
    "cli/commands/demo.py": "cli/test_demo.py",
    "cli/demonstration/cancer.py": "cli/test_demo.py",
    "cli/demonstration/run.py": "cli/test_demo.py",
    "cli/demonstration/sprinkler.py": "cli/test_demo.py",
    "cli/demonstration/tennis.py": "cli/test_demo.py",
    "cli/show.py": "cli/test_demo.py",
    # The list of commands, and what they have in common.
    "cli/command.py": "cli/test_main.py",
    "cli/example_files.py": "cli/test_main.py",
    "cli/options.py": "cli/test_main.py",
    "cli/text_tables.py": "cli/test_outputs.py",
    "cli/commands/classifiers/estimators.py": "cli/commands/classifiers/test_fit.py",
    # The defaults of all distributions.
    "estimate/columns/refits.py": "estimate/columns/test_base.py",
    "engines/counting.py": "engines/test_tally.py",
    "engines/source.py": "engines/test_tally.py",
    "engines/open.py": "engines/test_tally.py",
    "engines/files/arrow.py": "engines/files/test_source.py",
    "engines/files/csv_rows.py": "engines/files/test_csv.py",
    "engines/files/parquet.py": "engines/files/test_source.py",
    "engines/files/pieces.py": "engines/files/test_source.py",
    "engines/files/schema.py": "engines/files/test_source.py",
    # What runs on a cluster is tested on one.
    "engines/spark/faults.py": "servers/test_spark.py",
    "engines/spark/parquet.py": "servers/test_spark.py",
    "engines/spark/scoring.py": "servers/test_spark_models.py",
    "engines/spark/source.py": "servers/test_spark.py",
    "engines/spark/tasks.py": "servers/test_spark.py",
    # The service's model is tested by what the routes do with it.
    "serve/holder.py": "serve/test_service.py",
    "storage/checks.py": "models/storage/test_checks.py",
    "storage/codec.py": "models/storage/test_file.py",
    "storage/kinds.py": "models/storage/test_kinds.py",
    "nets/learning/stored.py": "models/storage/test_tally_file.py",
    "text/renamed.py": "models/storage/test_file.py",
    # The sections of one page, which are tested as a page.
    "reports/classifiers/curves.py": "reports/classifiers/test_report.py",
    "reports/classifiers/data.py": "reports/classifiers/test_report.py",
    "reports/classifiers/dependence.py": "reports/classifiers/test_report.py",
    "reports/classifiers/documents.py": "reports/classifiers/test_report.py",
    "reports/classifiers/evidence.py": "reports/classifiers/test_report.py",
    "reports/classifiers/facts.py": "reports/classifiers/test_report.py",
    "reports/classifiers/making.py": "reports/classifiers/test_report.py",
    "reports/classifiers/rows.py": "reports/classifiers/test_report.py",
    "reports/classifiers/scores.py": "reports/classifiers/test_report.py",
    # Parts of one query, which only mean something together: what the query returns is what is tested.
    "models/export/forms.py": "models/export/sql/test_query.py",
    "models/export/sql/averages.py": "models/export/sql/test_query.py",
    "models/export/sql/columns.py": "models/parts/test_to_sql.py",
    "models/export/sql/curves.py": "models/export/sql/test_query.py",
    "models/export/sql/finish.py": "models/export/sql/test_query.py",
    "models/export/sql/sums.py": "models/export/sql/test_query.py",
    "models/export/sql/tables.py": "models/export/sql/test_query.py",
    "models/export/sql/trees.py": "models/export/sql/test_query.py",
    # Steps of one search, which only mean something together: the graph that they find is what is tested.
    "nets/discovery/any_test.py": "nets/discovery/test_discover.py",
    "nets/discovery/engine.py": "nets/discovery/test_discover.py",
    "nets/discovery/ic.py": "nets/discovery/test_discover.py",
    "nets/discovery/notes.py": "nets/discovery/test_discover.py",
    "nets/discovery/orient.py": "nets/discovery/test_discover.py",
    "nets/discovery/skeleton.py": "nets/discovery/test_discover.py",
    # Readers of tables, for which one test asks every container for the same answer.
    "nets/data/kinds.py": "nets/test_wide_columns.py",
    "read/column.py": "read/test_table.py",
    "read/columns.py": "read/test_table.py",
    "read/container.py": "properties/test_containers.py",
    "read/documents.py": "models/test_text_containers.py",
    "read/frame.py": "read/test_table.py",
    "read/frames.py": "read/test_making.py",
    # Protocols, and what all tests on data share, are tested by the tests and scores that use them.
    "nets/scores/protocol.py": "nets/scores/test_registry.py",
    "nets/tests/base.py": "nets/tests/test_registry.py",
    "nets/tests/protocol.py": "nets/tests/test_registry.py",
    # Questions to a net are tested through the class that answers them.
    "nets/inference/belief_drawing.py": "nets/inference/test_beliefs.py",
    "nets/inference/cases.py": "nets/inference/test_row_mixin.py",
    "nets/inference/queries.py": "nets/inference/test_query_mixin.py",
    "nets/sampling/sample_mixin.py": "nets/sampling/test_draw.py",
    "nets/sampling/samples.py": "nets/sampling/test_draw.py",
    "nets/learning/gaussian_em.py": "nets/test_gaussian_net.py",
    "nets/learning/gaussian_fit_mixin.py": "nets/test_gaussian_net.py",
    "nets/learning/report.py": "nets/learning/test_unseen_parents.py",
    "nets/learning/tables.py": "nets/learning/test_fit.py",
    # Sections of one page, which is tested as a whole.
    "reports/nets/beliefs.py": "reports/nets/test_report.py",
    "reports/nets/edges.py": "reports/nets/test_report.py",
    "reports/nets/fit.py": "reports/nets/test_report.py",
    "reports/nets/graph.py": "reports/nets/test_report.py",
    "reports/nets/making.py": "reports/nets/test_report.py",
    "reports/nets/overview.py": "reports/nets/test_report.py",
    "reports/nets/trail.py": "reports/nets/test_report.py",
    # Files are tested format by format.
    "nets/io/draft.py": "nets/io/test_bif.py",
    # Parts of a tally, tested as tallies: merge, forget and scale are one property for all.
    "tallies/counting.py": "tallies/test_tally.py",
    "tallies/counts.py": "tallies/test_tally.py",
    "tallies/moments.py": "properties/test_moments.py",
    "tallies/protocol.py": "properties/test_tallies.py",
    "nets/learning/net_tally.py": "properties/test_tallies.py",
    "tallies/terms.py": "properties/test_learning.py",
    # Kernels are compared with their twins.
    "tallies/kernels.py": "properties/test_kernels.py",
    "text/kernels.py": "text/test_counting.py",
    "text/analyzer.py": "text/test_vectorizers.py",
    "text/count_vectorizer.py": "text/test_vectorizers.py",
    "text/hashing_vectorizer.py": "text/test_vectorizers.py",
    "text/vectorizer_input.py": "text/test_vectorizers.py",
    "twins/independence.py": "nets/tests/test_contingency.py",
    "twins/learning.py": "nets/learning/test_counting.py",
    "twins/sampling.py": "nets/sampling/test_flat.py",
    "twins/scan.py": "nets/io/test_scan.py",
    "twins/scores.py": "nets/scores/test_gaussian.py",
    "twins/text.py": "text/test_counting.py",
    "twins/tokens.py": "text/test_tokens.py",
    "twins/trees.py": "nets/inference/trees/test_clique_tree.py",
    "twins/weights.py": "estimate/columns/test_margins.py",
}
"""Modules whose test is another file, and the reason. A new module gets a test of its own."""

MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_has_its_test(module):
    own = TESTS / module.parent / f"test_{module.name}"
    other = ELSEWHERE.get(module.as_posix())
    assert own.exists() or other, f"write {own.relative_to(TESTS.parent)}: what would a user lose?"


def test_the_list_of_others_is_true():
    for module, test in ELSEWHERE.items():
        assert (SOURCE / module).exists(), f"{module} is gone: take it off the list"
        assert (TESTS / test).exists(), f"{test}, which tests {module}, is gone"
        mirrored = TESTS / Path(module).parent / f"test_{Path(module).name}"
        assert not mirrored.exists(), f"{module} has a test of its own now: take it off the list"
