"""A store with everything that a memory can have, and ways to look at and damage an export of it."""

import hashlib
import json

from tests.support.memories import StubEmbedder, axis
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.store import content_digest

FACTS = (
    "The build failed because wheel was missing in the docker image.",
    "Building failed in the docker image: wheel was missing. The log is at /var/log/build-7.txt.",
    "I prefer tabs over spaces in all my code.",
    "The image build broke since meson 1.4 was missing.",
)
NEAR = {"The build failed": axis(0), "Building failed": axis(4, axis(0), 0.96), "I prefer": axis(1)}
NEAR["The image build broke"] = axis(5, axis(0), 0.85)


class OtherEmbedder(StubEmbedder):
    """Another model of the same size."""

    model_id = "other-stub"


def open_as(settings, account="default", embedder=None, url=None):
    update = {"account_id": account} | ({"database_url": url} if url else {})
    store = settings.store.model_copy(update=update)
    return Ultron(settings.model_copy(update={"store": store}), embedder=embedder or StubEmbedder(NEAR))


def fill(ultron, folder):
    """Uploads that merge and link, a log with its task, an edit, verdicts, hits, one that is archived."""
    first = ultron.upload_memory(FACTS[0], tags=["t"], idempotency_key="key")
    ultron.upload_memory(FACTS[0], tags=["again"])
    ultron.upload_memories([{"content": fact, "project": "shop"} for fact in FACTS[1:]])
    ultron.ingest([write_log(folder / "log.jsonl", solved("alpha", "pandas"))], "agent", process=True)
    edited = ultron.upload_memory("The linter wants two blank lines.", resolution="Add them.")
    ultron.update_memory(edited.id, content="The linter wants 2 blank lines.", changed_by="me")
    ultron.confirm_memory(first.id)
    ultron.get_memory_details([first.id])
    ultron.archive_memory(ultron.upload_memory("The old server is down.").id)
    return first


def memories_of(ultron):
    return content_digest(
        ultron.runtime.database, ultron.runtime.account_id, clusters=False, memories_alone=True
    )


def lines_of(folder):
    return [
        json.loads(line)
        for part in sorted(folder.glob("memories-*.jsonl"))
        for line in part.read_text().splitlines()
    ]


def rewrite(folder, change):
    """Each line of an export changed by hand, with a manifest that says so."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for part in manifest["parts"]:
        path = folder / part["file"]
        text = "".join(json.dumps(change(json.loads(line))) + "\n" for line in path.read_text().splitlines())
        path.write_text(text)
        part |= {"bytes": len(text.encode()), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps(manifest))
