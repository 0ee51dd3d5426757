"""One walk of sessions through the whole path with a model: files in, segments, labels, memories out."""

from dataclasses import dataclass

from tests.support.gold import Shown, normal, sessions
from tests.support.model.recorded import notes
from ultron_core.client import Ultron
from ultron_core.models import Redaction
from ultron_core.settings import LLMSettings
from ultron_core.steps.stages.estimate import estimate_pending

KEY = "k" * 20


class PlainRedactor:
    """Finds nothing: what a prompt leaves out is then the prompt's doing."""

    version = "none"

    def redact_text(self, text):
        return Redaction(text, [])

    def redact_json(self, value):
        return value, []


@dataclass(frozen=True)
class Walk:
    """What came of it; `requests` are what the server was asked, in its order."""

    requests: list
    estimate: dict
    report: dict
    segments: list
    memories: list
    drops: list

    @property
    def starts(self):
        return {(s["session_file"], s["thread"], s["start_line"]) for s in self.segments}


def with_server(settings, server, **more):
    """The settings with the server as the only model."""
    values = {
        "api_key": KEY,
        "base_url": server.url,
        "model": "recorded",
        "max_retries": 0,
        "timeout_seconds": 20,
    }
    return settings.model_copy(update={"llm": LLMSettings(**(values | more))})


def walk(settings, server, paths=None, **plugged):
    """All stages over the sessions (all sixteen by default) on an empty database."""
    with Ultron(settings, **plugged) as ultron:
        ultron.ingest(list(paths) if paths else [session.path for session in sessions()], "agent")
        estimate = estimate_pending(ultron.runtime)
        report = ultron.process_pending()
        return stored(ultron, server, estimate, report)


def stored(ultron, server, estimate, report):
    with ultron.runtime.database.transaction() as conn:
        segments = conn.execute(
            "SELECT session_file, thread, start_line, quality_metrics, labeler, memory_extracted"
            " FROM task_segments ORDER BY session_file, start_line"
        ).fetchall()
        memories = conn.execute(
            "SELECT id, memory_type, content, context, resolution, tags, cure FROM memories WHERE status <> 'archived'"
        ).fetchall()
        drops = conn.execute("SELECT stage, reason, detail, payload FROM drops").fetchall()
    return Walk(server.chats(), estimate, report, segments, memories, drops)


def good_list():
    """Every memory of the good list with the name of its session."""
    return [(s.name, memory) for s in sessions() for task in s.tasks for memory in task.memories]


def missing(memories):
    """Contents of the recorded notes that no stored memory holds."""
    text = normal(" ".join(memory["content"] for memory in memories))
    return [content for content in notes() if normal(content) not in text]


def unseen(requests):
    """Quotes of the good list that no request shows."""
    shown = "\n".join(Shown.of(request).text for request in requests)
    quotes = [quote["quote"] for _, memory in good_list() for quote in memory["quotes"]]
    return [quote for quote in quotes if normal(quote) not in shown]
