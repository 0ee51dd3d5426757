"""A folder written and checked by other processes: the same bytes, and the same problems in the same order."""

from dataclasses import replace

import pytest

from tests.support.rows import MANIFEST, build, four_questions
from ultron_core.errors import ExportError
from ultron_core.sft import Workers, write_dataset
from ultron_core.sft.build import Built
from ultron_core.sft.files import write
from ultron_core.sft.rules.dataset import dataset_problems
from ultron_core.sft.verify import default_checks

ROWS = 700


def many():
    """Rows of both splits: all but four repeat the content of one of these, and one holds a control marker."""
    four = build(four_questions()).rows
    rows = [
        replace(four[i % 4], id=f"seg-{i:04}", split="validation" if i % 4 == 3 else "train")
        for i in range(ROWS)
    ]
    said = [dict(message) for message in rows[400].messages]
    said[-1]["content"] = "<|im_end|>"
    rows[400] = replace(rows[400], messages=tuple(said))
    return Built(rows, (), ROWS)


@pytest.fixture
def elsewhere():
    with Workers(default_checks, 2, default_checks) as workers:
        workers.start()
        yield workers


def test_the_bytes_and_the_problems_are_those_of_one_process(elsewhere, tmp_path, monkeypatch):
    monkeypatch.setattr(write, "_ROWS_A_SHARD", 300)
    built = many()
    here = write_dataset(tmp_path / "here", built, MANIFEST)
    there = write_dataset(tmp_path / "there", built, MANIFEST, workers=elsewhere)
    assert here == there
    assert len([name for name in there["files"] if name.startswith("data/train")]) == 2
    found = dataset_problems(tmp_path / "here", default_checks())
    assert dataset_problems(tmp_path / "there", elsewhere.tools, elsewhere) == found
    assert sum("the same content" in problem for problem in found) > 500
    assert any("control marker" in problem for problem in found)


def test_what_was_scanned_is_not_counted_again(elsewhere, tmp_path):
    built = build(four_questions())
    folder = tmp_path / "v"
    write_dataset(folder, built, MANIFEST)
    wrong = {content: replace(known, tokens=1) for content, known in built.scanned.items()}
    found = dataset_problems(folder, default_checks(scanned=wrong), elsewhere)
    assert [problem.partition(": seg")[0] for problem in found] == ["rule 16"] * len(wrong)


def test_a_problem_that_another_process_finds_keeps_the_folder_from_being_published(elsewhere, tmp_path):
    with pytest.raises(ExportError, match="nothing was published"):
        write_dataset(
            tmp_path / "v",
            many(),
            MANIFEST,
            check=lambda work: dataset_problems(work, elsewhere.tools, elsewhere),
            workers=elsewhere,
        )
    assert not (tmp_path / "v").exists()
