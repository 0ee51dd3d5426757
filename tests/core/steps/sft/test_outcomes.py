"""What is known of a session's end overrides what its log lets the rules believe, in both directions."""

import json

import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError
from ultron_core.sft import read_rejects, read_rows
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.steps.sft.outcomes import import_outcomes
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables import outcomes

LOW = ExportRequest(min_quality_score=0.5)


@pytest.fixture
def world(settings, tmp_path):
    for name in ("one", "two"):
        write_log(tmp_path / "logs" / f"{name}.jsonl", task(name))
    write_log(tmp_path / "logs" / "three.jsonl", solved("three", "numpy"))
    with Ultron(settings) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        yield ultron


def said(folder, *lines, name="judged.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def rows_of(export):
    return {
        next(m["content"] for m in r["messages"] if m["role"] == "user"): r for r in read_rows(export.path)
    }


def test_an_imported_failure_never_ships_and_a_success_ships_as_verified(world, tmp_path):
    before = rows_of(export_dataset(world.runtime, LOW))
    assert {row["evidence"] for row in before.values()} == {"verified"} and len(before) == 3
    done = import_outcomes(
        world.runtime,
        said(tmp_path, {"session": "one.jsonl", "outcome": 0}, {"session": "two.jsonl", "outcome": True}),
    )
    assert (done.written, done.successes, done.unknown, done.ambiguous) == (2, 1, (), ())
    after = export_dataset(world.runtime, LOW)
    rows = rows_of(after)
    assert dict(after.rejects) == {"imported_failure": 1} and not any("one module" in text for text in rows)
    (two,) = [row for text, row in rows.items() if "two module" in text]
    assert (two["evidence"], two["success_probability"]) == ("verified", 1.0)


def test_a_success_ships_whatever_its_score(world, tmp_path):
    with world.runtime.database.transaction() as conn:
        conn.execute(
            "UPDATE task_segments SET quality_metrics = jsonb_set(jsonb_set(quality_metrics,"
            " '{summary,overall_score}', '0.1'), '{summary,outcome}', '\"failure\"')"
        )
    assert export_dataset(world.runtime, ExportRequest()).rows == 0
    import_outcomes(world.runtime, said(tmp_path, {"session": "two.jsonl", "reward": 1.0}))
    export = export_dataset(world.runtime, ExportRequest())
    assert export.rows == 1
    assert {r["reason"] for r in read_rejects(export.path)} == {"outcome_failure"}
    card = (export.path / "README.md").read_text()
    assert "Of the 1 rows with evidence `verified` or `likely` a share of 1.00" in card


def test_a_task_id_joins_runs_whatever_their_words(world, tmp_path):
    lines = [{"session": f"{name}.jsonl", "outcome": 1, "task": "build-1"} for name in ("one", "two")]
    import_outcomes(world.runtime, said(tmp_path, *lines))
    rows = rows_of(export_dataset(world.runtime, LOW))
    keys = {text: row["task_key"] for text, row in rows.items() if "three" not in text}
    assert len(keys) == 2 and len(set(keys.values())) == 1


def test_the_last_word_counts_and_a_reward_needs_its_limit(world, tmp_path):
    path = said(tmp_path, {"session": "one.jsonl", "outcome": 1}, {"session": "one.jsonl", "outcome": 0.7})
    assert import_outcomes(world.runtime, path).successes == 0
    assert import_outcomes(world.runtime, path, success_from=0.5).successes == 1


def test_a_table_and_names_that_mean_nothing(world, tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("session,outcome,source\none.jsonl,1,benchmark\nnobody.jsonl,0,benchmark\n")
    done = import_outcomes(world.runtime, path)
    assert (done.written, done.unknown) == (1, ("nobody.jsonl",))


@pytest.mark.parametrize(
    ("line", "problem"),
    [('{"session": "one.jsonl"}', "needs `session` and `outcome`"), ("{", "no JSON"), ("[1]", "no JSON object"),
     ('{"session": "one.jsonl", "outcome": "maybe"}', "needs `session` and `outcome`")],
)  # fmt: skip
def test_a_line_that_cannot_be_read_stops_the_import(world, tmp_path, line, problem):
    path = tmp_path / "judged.jsonl"
    path.write_text('{"session": "two.jsonl", "outcome": 0}\n' + line + "\n")
    with pytest.raises(InputError, match=f"line 2: {problem}"):
        import_outcomes(world.runtime, path)
    assert export_dataset(world.runtime, LOW).rejects == {}


@pytest.mark.parametrize("line", [{"outcome": 10**400}, {"session": "a\0b"}, {"task": "half \ud83d"}])
def test_what_cannot_be_stored_is_an_error_of_its_line(world, tmp_path, line):
    with pytest.raises(InputError, match="line 2"):
        import_outcomes(
            world.runtime,
            said(
                tmp_path,
                {"session": "one.jsonl", "outcome": 1},
                {"session": "two.jsonl", "outcome": 1} | line,
            ),
        )


def test_a_name_may_be_an_id_a_key_a_file_or_the_end_of_its_path(world):
    with world.runtime.database.transaction() as conn:
        (one,) = conn.execute("SELECT * FROM sessions WHERE session_file LIKE '%/one.jsonl'")
        folder = one["session_file"].split("/", 1)[1]
        names = [str(one["id"]), one["partition_key"], one["session_file"], "one.jsonl", folder]
        others = [
            "ne.jsonl",
            "one.json",
            "0",
            "_ne.jsonl",
            "%one.jsonl",
            "",
            str(one["id"]).upper(),
            "1" * 36,
        ]
        found = outcomes.sessions_named(conn, "default", [*names, *others])
    assert found == {name: [("me", one["session_file"])] for name in names}


def test_many_names_are_looked_up_through_indexes(world):
    with world.runtime.database.transaction() as conn:
        conn.execute(
            "INSERT INTO sessions SELECT (jsonb_populate_record(NULL::sessions, to_jsonb(s)"
            " || jsonb_build_object('id', gen_random_uuid(),"
            " 'session_file', 'deep/' || n || '/run.jsonl', 'partition_key', 'me/' || n))).*"
            " FROM (SELECT * FROM sessions LIMIT 1) s, generate_series(1, 5000) n"
        )
    with world.runtime.database.direct() as conn:
        conn.execute("ANALYZE sessions")
        params = {"account_id": "default", "names": [f"{n}/run.jsonl" for n in range(1000)]}
        query = "EXPLAIN " + NamedQueries("upkeep/outcomes")["sessions_named"]
        plan = "\n".join(row["QUERY PLAN"] for row in conn.execute(query, params))
        found = outcomes.sessions_named(conn, "default", params["names"])
    assert len(found) == 999 and found["7/run.jsonl"] == [("me", "deep/7/run.jsonl")]
    assert "sessions_path_end" in plan and "Join Filter: (" not in plan, plan
