"""Of rows that ask for the same thing in other words a dataset holds as many as the cap says, the best ones."""

import numpy as np

from tests.support.rows import asked
from ultron_core.sft import BuildConfig, Caps, Tools, Workers, build_rows
from ultron_core.sft.curate.meaning import same_meaning

WEATHER = [1.0, 0.0]
NEAR = [0.98, 0.199]
TRAVEL = [0.0, 1.0]


def test_a_row_joins_the_group_that_it_is_nearest_to_and_never_along_a_chain():
    between = [0.9, 0.436]  # .97 to NEAR, .90 to WEATHER
    vectors = np.array([WEATHER, NEAR, between, TRAVEL], np.float32)
    assert same_meaning(vectors, 0.95) == [0, 0, 2, 3]
    assert same_meaning(vectors[:0], 0.95) == []


def test_the_best_of_each_meaning_stay_and_the_model_sees_redacted_text():
    questions = ["Will it rain on Anna?", "Is rain expected?", "Rain tomorrow?", "A train to Rome?"]
    rows = [
        asked(
            n,
            question,
            " ".join(f"answer{n} word{i}" for i in range(20)),
            score=0.9 + n / 100,
            session=f"s{n}",
        )
        for n, question in enumerate(questions)
    ]
    seen = []

    def embed(texts):
        seen.extend(texts)
        return np.array([TRAVEL if "train" in text else WEATHER for text in texts], np.float32)

    def redact(values):
        return [value.replace("Anna", "<PERSON>") if isinstance(value, str) else value for value in values]

    workers = Workers(lambda: Tools(redact, lambda text: False, len))
    built = build_rows(rows, BuildConfig(caps=Caps(meaning=2)), workers, embed=embed)
    assert [row.id for row in built.rows] == ["seg-001", "seg-002", "seg-003"]
    assert [(one.segment_id, one.reason) for one in built.rejects] == [("seg-000", "over_cap_meaning")]
    assert "Will it rain on <PERSON>?" in seen and not any("Anna" in text for text in seen)
