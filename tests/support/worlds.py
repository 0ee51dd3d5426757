"""Small worlds for tests: log files made of tasks, a model that cuts where a task begins, a counter of writes."""

import json
import threading

from psycopg import sql

from tests.support.records import messages_in
from ultron_core.errors import ModelUnavailableError
from ultron_core.segments.by_model.answer import TaskList

#: each task opens with its own word, so that a reader and the model below see where it starts
MARK = "TASK"


def task(name, *, error=None, fix=None, wish=None):
    """One task as OpenAI lines: a request, a call with its result, an answer. With `error`, a solved one; with `wish`,
    one in which the person says how they want it from now on."""
    lines = [
        {"role": "user", "content": f"{MARK} {name}: please build the {name} module and run its tests"},
        {
            "role": "assistant",
            "content": f"I run the {name} tests.",
            "tool_calls": [call(f"{name}-1", f"pytest {name}")],
        },
    ]
    if error:
        lines += [
            {"role": "tool", "tool_call_id": f"{name}-1", "name": "bash", "content": error},
            {
                "role": "assistant",
                "content": f"The error comes from {name}. I fix it: {fix}",
                "tool_calls": [call(f"{name}-2", fix)],
            },
            {
                "role": "tool",
                "tool_call_id": f"{name}-2",
                "name": "bash",
                "content": "Successfully installed",
            },
            {"role": "assistant", "content": "Again.", "tool_calls": [call(f"{name}-3", f"pytest {name}")]},
            {"role": "tool", "tool_call_id": f"{name}-3", "name": "bash", "content": "5 passed in 0.12s"},
        ]
    else:
        lines.append(
            {"role": "tool", "tool_call_id": f"{name}-1", "name": "bash", "content": "3 passed in 0.08s"}
        )
    lines.append({"role": "assistant", "content": f"The {name} module is built and all its tests pass."})
    if wish:
        lines += [{"role": "user", "content": wish}, {"role": "assistant", "content": "Understood."}]
    lines += [
        {"role": "user", "content": "thanks, that works"},
        {"role": "assistant", "content": "You are welcome."},
    ]
    return lines


def call(call_id, command):
    arguments = json.dumps({"command": command})
    return {"id": call_id, "type": "function", "function": {"name": "bash", "arguments": arguments}}


def solved(name, package, wish=None):
    """A task with an import error that an installation fixes, and a wish of the person: a memory comes out of it."""
    return task(
        name,
        error=f'Traceback (most recent call last):\n  File "{name}.py", line 3, in <module>\n'
        f"    import {package}\nModuleNotFoundError: No module named '{package}'",
        fix=f"pip install {package}",
        wish=wish or wish_of(name, package),
    )


def wish_of(name, package):
    """The words of the memory that `solved` gives."""
    return f"Always run `make {package}` before the {name} tests, or they fail with a ModuleNotFoundError."


def write_log(path, *tasks, cwd=None):
    """The tasks one after another as a session file that may say where it was run; returns the path."""
    tasks = tasks if cwd is None else ([{"_type": "metadata", "cwd": cwd}], *tasks)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for lines in tasks for line in lines), "utf-8")
    return path


class CuttingLLM:
    """Cuts where a message opens with the mark; answers nothing else. Counts calls; can be down."""

    model_id = "cutting"

    def __init__(self):
        self.calls = 0
        self.tokens = 0
        self.down = False
        self._lock = threading.Lock()

    def complete(self, messages, schema, *, stage=""):
        with self._lock:
            self.calls += 1
            self.tokens += sum(len(m["content"]) // 4 for m in messages)
        if self.down:
            raise ModelUnavailableError("the test model is down")
        assert schema is TaskList, f"only segmentation is expected, not {stage}"
        lines = messages_in(messages[1]["content"])
        starts = [n for n, who, body in lines if who == "user" and body.startswith(MARK)] or [1]
        starts[0] = 1
        ends = [start - 1 for start in starts[1:]] + [lines[-1].number]
        return TaskList(
            tasks=[{"start": s, "end": e, "topic": "t"} for s, e in zip(starts, ends, strict=True)]
        )


def rows_written(database):
    """Every row of schema `ultron` as it was last written: equal before and after means nothing was.

    Not the counters of pg_stat_user_tables: a backend may tell them seconds later.
    """
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'ultron'"
    versions = set()
    with database.direct() as conn:
        for table in [row["tablename"] for row in conn.execute(tables)]:
            rows = conn.execute(
                sql.SQL("SELECT ctid::text, xmin::text FROM {}").format(sql.Identifier(table))
            )
            versions |= {(table, row["ctid"], row["xmin"]) for row in rows}
    return frozenset(versions)
