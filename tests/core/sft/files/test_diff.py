"""Every difference between two versions of a dataset has its cause."""

from dataclasses import replace

from tests.support.rows import MANIFEST, build, four_questions
from ultron_core.sft import Change, Reject, diff_datasets, write_dataset


def version(folder, candidates, **config):
    write_dataset(folder, build(candidates), {**MANIFEST, "config": {**MANIFEST["config"], **config}})
    return folder


def test_what_came_and_what_went_and_why(tmp_path):
    rows = four_questions()
    below = Reject("seg-000", "below_threshold", "", 0.5, "qa")
    old = version(tmp_path / "old", [below, *rows[1:3]])
    new = version(tmp_path / "new", [rows[0], Reject("seg-001", "outcome_failure", "", 0.9, "qa"), rows[3]])
    assert diff_datasets(old, new).changes == (
        Change("seg-000", "added", "was left out: below_threshold"),
        Change("seg-003", "added", "new segment"),
        Change("seg-001", "removed", "outcome_failure"),
        Change("seg-002", "removed", "segment is gone"),
    )


def test_a_changed_row_names_what_changed(tmp_path):
    rows = four_questions()
    first = rows[0]
    old = version(tmp_path / "old", rows)
    for name, changed, cause in (
        ("topic", replace(first, topic="other"), "topic"),
        ("labeler", replace(first, label=replace(first.label, labeler="offline:2")), "labeler_version"),
        ("redaction", replace(first, redaction_version="2", messages=first.messages[:1] + first.messages[3:]),
         "redaction_version"),
        ("content", replace(first, messages=(*first.messages[:-1], replace(first.messages[-1], content="Else it is."))),
         "content"),
    ):  # fmt: skip
        diff = diff_datasets(old, version(tmp_path / name, [changed, *rows[1:]]))
        assert diff.changes == (Change("seg-000", "changed", cause),)
        assert diff.counts == {("changed", cause): 1}


def test_equal_versions_do_not_differ(tmp_path):
    old, new = version(tmp_path / "old", four_questions()), version(tmp_path / "new", four_questions()[::-1])
    assert diff_datasets(old, new).changes == ()
