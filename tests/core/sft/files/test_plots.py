"""Charts of a dataset: the counts are right, names are escaped, and the folder shows them."""

import xml.etree.ElementTree as ET

from tests.support.rows import four_questions, written
from ultron_core.sft.files.plots import bars, score_bins, token_bins


def test_rows_are_counted_in_bins_that_double():
    assert token_bins([1, 2, 3, 9]) == {"1 to 1": 1, "2 to 3": 2, "4 to 7": 0, "8 to 15": 1}
    assert token_bins([70, 100, 300]) == {"64 to 127": 2, "128 to 255": 0, "256 to 511": 1}
    assert token_bins([]) == {}


def test_scores_are_counted_in_steps_of_a_twentieth():
    assert score_bins([0.8, 0.84, 0.91, 1.0]) == {
        "0.80 to 0.85": 2,
        "0.85 to 0.90": 0,
        "0.90 to 0.95": 1,
        "0.95 to 1.00": 1,
    }


def test_a_bar_is_as_long_as_its_count_and_names_are_text():
    root = ET.fromstring(bars("a < b", {"<too_long>": 4, "fragment": 1, "none": 0}))
    space = "{http://www.w3.org/2000/svg}"
    assert [int(bar.get("width")) for bar in root.iter(f"{space}rect")] == [360, 90, 0]
    assert [text.text for text in root.iter(f"{space}text")][:3] == ["a < b", "<too_long>", "4"]


def test_a_dataset_shows_its_counts(tmp_path):
    folder = written(tmp_path / "v1", four_questions())
    for name in ("tokens", "scores", "rejects"):
        ET.parse(folder / "plots" / f"{name}.svg")
        assert f"plots/{name}.svg" in (folder / "README.md").read_text()
