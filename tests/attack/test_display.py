"""Text that steers a terminal, is markup or is a link, planted in every stored field: shown, it is words alone."""

import logging
import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import dagster as dg
import pytest
from markdown_it import MarkdownIt
from psycopg import sql

from tests.support.memories import rows
from tests.support.worlds import solved, task, write_log
from ultron_core.cli.main import run_command, set_up_logging
from ultron_core.cli.output import Terminal, console, terminal
from ultron_core.cli.progress import progress_bar
from ultron_core.client import Ultron
from ultron_core.display import cell, markdown_table, plain
from ultron_core.recall.block import RecallItem, make_block
from ultron_core.serve.pages.render import _environment
from ultron_core.settings import LabelSettings
from ultron_core.sft.files.card import render_card
from ultron_core.sft.files.plots import bars
from ultron_pipelines.assets.clusters import clusters
from ultron_pipelines.assets.events import PartitionEvent, fail_bad, materializations
from ultron_pipelines.assets.sft import SftConfig, sft_dataset
from ultron_pipelines.assets.summary import _pictures
from ultron_pipelines.assets.tiers import tier_assignments
from ultron_pipelines.charts import histogram, markdown_image
from ultron_pipelines.checks import CHECKS
from ultron_pipelines.resources import UltronResource

EVIL = (
    " \x1b[2J\x1b]0;owned\x07\x1b]8;;http://evil.example/a\x1b\\click\x1b]8;;\x1b\\ \x9b31m\x9d8;;http://c1.example\x9cd"
    "\r\x08\x7f\u202egnp\u2066\u200b\U000e0041 [link=http://rich.example]x[/link] :bomb: [y](http://md.example)"
    ' | <img src="http://html.example"> `a` **b** _c_ https://bare.example www.bare.example $\\frac{1}{2}$ '
)
#: what a terminal or an editor obeys
STEERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
#: columns in which a log, a model or a caller never writes words: ids, digests, closed lists, times of servers
OURS = re.compile(
    r".*\.(account_id|kind|status|state|memory_type|origin|trust|proof|cure|role|stage|decision|scope|tier|split|place|holder|host"
    r"|thread|partition_key|data_version|\w*sha256|digest|\w*hash|key|fingerprint|model_id|redaction_version|extractor"
    r"|labeler|segmenter|windowed|parser_version|id|scopes|wanted_since|checksum|private_path|private_root|format)"
    r"|schema_migrations\..*|redaction_replays\..*|sft_\w+\..*|raw_blobs\..*|leases\..*|idempotency_keys\..*"
    r"|lexical_\w+\..*|message_windows\..*|memory_search\..*"
)


LOGS = {"a.jsonl": [solved("a", "pandas")], "b.jsonl": [task("b")], "alpaca.jsonl": [{"output": "hi"}]}


CHANGE = (
    "INSERT INTO ultron.cluster_changes (account_id, id, cluster_id, other_id, kind, reason, size, other_size,"
    " cosine, cohesion, created_at) SELECT account_id, gen_random_uuid(), cluster_id, gen_random_uuid(), 'merge',"
    " 'near', 2, 1, 0.5, 0.5, now() FROM ultron.clusters LIMIT 1"
)


@pytest.fixture
def settings(settings, tmp_path):
    everything = settings.sft.model_copy(update={"evidence": "any", "min_quality_score": 0.0})
    labels = LabelSettings(sft_score_threshold=0.0)
    return settings.model_copy(update={"sft": everything, "labels": labels})


@pytest.fixture
def ultron(settings, tmp_path):
    """A store in which every field that can hold words holds the attack as well."""
    with Ultron(settings) as opened:
        logs = [write_log(tmp_path / "logs" / name, *made) for name, made in LOGS.items()]
        opened.ingest(logs, "agent", process=True)
        for tool in ("uv", "poetry"):
            opened.upload_memory(f"Use {tool} instead of pip for the shop.", agent_id="agent")
        opened.keys.add("laptop", preset="agent")
        with opened.runtime.database.transaction() as conn:
            conn.execute(CHANGE)
            assert plant(conn) > 30
        yield opened


def plant(conn):
    """How many columns now hold it."""
    columns = conn.execute(
        "SELECT table_name AS t, column_name AS c, data_type AS kind FROM information_schema.columns"
        " WHERE table_schema = 'ultron' AND data_type IN ('text', 'ARRAY', 'jsonb') AND udt_name <> '_int4'"
    ).fetchall()
    planted = 0
    for row in columns:
        if OURS.fullmatch(f"{row['t']}.{row['c']}"):
            continue
        put = {"text": "{c} || %(evil)s", "ARRAY": "{c} || ARRAY[%(evil)s]", "jsonb": None}[row["kind"]]
        if put is None:
            continue
        names = {"t": sql.Identifier("ultron", row["t"]), "c": sql.Identifier(row["c"])}
        conn.execute(sql.SQL("UPDATE {t} SET {c} = " + put).format(**names), {"evil": EVIL})
        planted += 1
    conn.execute(
        "UPDATE ultron.drops SET payload = jsonb_build_object('content', %(evil)s::text)", {"evil": EVIL}
    )
    conn.execute("UPDATE ultron.sessions SET error = %(evil)s", {"evil": EVIL})
    conn.execute("UPDATE ultron.task_segments SET label_error = %(evil)s", {"evil": EVIL})
    return planted


def harmless(text):
    return not STEERS.search(text)


def commands(ultron):
    memory = rows(ultron, "SELECT id FROM memories ORDER BY created_at LIMIT 1")[0]["id"]
    segment = rows(ultron, "SELECT id FROM task_segments LIMIT 1")[0]["id"]
    return [
        ["search", "use uv instead of pip", "--explain", "--all-projects"],
        ["search", "pandas", "--sessions", "--all-agents"],
        ["search", "nothing like it", "--tag", "none"],
        ["show", str(memory)],
        ["sessions", "--all-projects"],
        ["stats"],
        ["drops"],
        ["clusters"],
        ["clusters", "--changes"],
        ["keys", "list"],
        ["reembed", "--status"],
        ["process"],
        ["retry"],
        ["rebalance"],
        ["sft", "explain", str(segment)],
        ["redact", "--replay", "--again"],
    ]


@pytest.fixture
def said(capsys, monkeypatch, settings, ultron):
    """What a command prints on this store, in this process."""
    monkeypatch.setenv("ULTRON_DATABASE_URL", settings.store.database_url)
    monkeypatch.setenv("ULTRON_HOME", str(settings.store.home))
    monkeypatch.setenv("ULTRON_OFFLINE", "1")

    def run(arguments, *, fails=False):
        capsys.readouterr()
        code = run_command(arguments)
        printed = capsys.readouterr()
        assert (code == 1) == fails, printed.err
        return printed.out + printed.err

    return run


def test_no_command_obeys_what_is_stored(ultron, said):
    words = ""
    for arguments in commands(ultron):
        text = said(arguments)
        assert harmless(text), (arguments, STEERS.findall(text))
        words += text
        if arguments[0] not in ("retry", "redact"):
            as_json = said([*arguments, "--json"])
            assert harmless(as_json), (arguments, STEERS.findall(as_json))
    # it was shown, as the words it is
    assert words.count("[link=http://rich.example]") > 5 and words.count(":bomb:") > 5
    assert "click" in words and "http://evil.example" not in words


def test_in_a_terminal_nothing_but_our_own_colours(ultron, said):
    with terminal(Terminal(100, is_terminal=True)):
        for arguments in commands(ultron)[:6]:
            text = said(arguments)
            assert harmless(re.sub(r"\x1b\[[0-9;]*m", "", text)), arguments


def test_a_dataset_and_its_review_show_words(ultron, said, settings, tmp_path):
    out = tmp_path / "sets"
    assert harmless(said(["export-sft", "--out", str(out), "--min-score", "0", "--evidence", "any"]))
    (folder,) = (path.parent for path in out.rglob("manifest.json"))
    for arguments in (
        ["review", str(folder), "--all"],
        ["verify", str(folder)],
        ["diff", str(folder), str(folder)],
    ):
        assert harmless(said(["sft", *arguments])), arguments


def test_errors_progress_and_log_lines_too(said, settings, capsys, tmp_path):
    assert harmless(said(["search", "pip", "--tag", 3 * EVIL], fails=True))
    assert harmless(said(["show", EVIL], fails=True))
    with terminal(Terminal(100, is_terminal=True)), progress_bar("reading", quiet=False) as advance:
        advance(EVIL, 1, 2)
    assert "\x1b]" not in capsys.readouterr().err
    log = tmp_path / "log.txt"
    set_up_logging(settings.model_copy(update={"store": settings.store.model_copy(update={"log_file": log})}))
    logging.getLogger("ultron.test").error("it failed: %s", EVIL + "\n2026-01-01 INFO ultron: all is well")
    set_up_logging(settings)
    written = log.read_text("utf-8")
    assert harmless(written) and len(written.splitlines()) == 1


def links_and_markup(text):
    """What a reader of Markdown with tables makes of a text, other than words, code and our own pictures."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    odd = [
        t.type for t in tokens if t.type.startswith(("html", "heading", "code", "fence", "hr", "blockquote"))
    ]
    for token in inline:
        # renderers that link bare addresses do so in text, never in code
        bare = token.type == "text" and re.search(r"https?:|www\.|@", token.content)
        ours = token.type == "image" and token.attrs["src"].startswith("data:image/png;base64,")
        if bare or (token.type not in ("text", "code_inline", "softbreak") and not ours):
            odd.append(f"{token.type} {token.content[:60]}")
    return odd


def checked(metadata, seen):
    for name, value in metadata.items():
        text = (
            value.md_str
            if isinstance(value, dg.MarkdownMetadataValue)
            else str(getattr(value, "text", value))
        )
        assert harmless(text), name
        if isinstance(value, dg.MarkdownMetadataValue) and name != "report":
            assert links_and_markup(text) == [], name
            seen.append(text)


def test_metadata_is_words_in_tables(ultron, settings):
    resource, seen = UltronResource.of(settings), []
    checked(clusters(ultron=resource).metadata, seen)
    checked(tier_assignments(ultron=resource).metadata, seen)
    checked(sft_dataset(SftConfig(), ultron=resource).metadata, seen)
    for check in CHECKS:
        checked(check(ultron=resource).metadata, seen)
    checked(_pictures(ultron), seen)
    assert sum("md.example" in text for text in seen) >= 3, seen


class _Events:
    """Stands for Dagster's context: keeps what it is told."""

    def __init__(self):
        self.told, self.log = [], self

    def log_event(self, event):
        self.told.append(event)

    def warning(self, text):
        self.told.append(text)


def test_events_and_failures_of_partitions_are_words():
    context, seen = _Events(), []
    (told,) = materializations("segments", [PartitionEvent("k", "done", metadata={"agent": EVIL})])
    checked(told.metadata, seen)
    bad = [PartitionEvent("k", "failed", error=EVIL), PartitionEvent("w", "pending", error=EVIL)]
    with pytest.raises(dg.Failure) as failed:
        fail_bad(context, bad)
    checked(failed.value.metadata, seen)
    assert harmless(failed.value.description) and harmless(context.told[0])
    assert "md.example" in seen[0]


def test_cards_and_charts_are_words():
    numbers = {"value": 0.5, "rows": 1, "low": 0.4, "high": 0.6}
    counts = {EVIL: 1, "unknown": 0}
    names = ("evidence", "task_types", "harnesses", "rejects", "repairs", "tokens")
    named = dict.fromkeys(names, counts)
    config = {"min_quality_score": 0.5, "tool_output_max_tokens": 9, "max_tokens": 9}
    more = {"name": EVIL, "kind": "sft", "rows": 1, "config": config, "expected_precision": numbers}
    card = render_card({**named, **more, "rows_with": {}, "flavours": [], "splits": {"train": 1}})
    head, body = card.split("\n---\n", 1)
    assert harmless(card) and head.count("\npretty_name: ") == 1
    own = [odd for odd in links_and_markup(body) if not re.match(r"heading|image", odd)]
    assert own == []

    texts = [
        found.text for found in ET.fromstring(bars(EVIL, {EVIL: 1})).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert all(map(harmless, texts)) and texts[0].startswith("click d")
    png = histogram({EVIL: [0.5], "$\\nosuch{": [0.1]}, {}, EVIL + "$\\nosuch{$")
    assert png[:4] == b"\x89PNG" and links_and_markup(markdown_image(png, "scores")) == []


def test_a_page_shows_words_and_keeps_its_own_elements():
    made = _environment().from_string("{% macro one(text) %}<b>\n{{ text }}</b>{% endmacro %}{{ one(text) }}")
    shown = made.render(text=EVIL)
    assert harmless(shown) and shown.startswith("<b>") and "&lt;img" in shown and "<img" not in shown


def test_what_agents_are_reminded_of_is_words():
    item = RecallItem("m:1", "memory", EVIL, 1.0, "plain", datetime(2026, 1, 1, tzinfo=UTC), EVIL)
    assert harmless(make_block([item], 500).block)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b\x1b[31m[31mred", "[31mred"),  # what is left of a sequence in a sequence is no sequence
        ("\x1b]8;;http://a\x07b\x1b]8;;\x07", "b"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("\x1b]52;c;cm0gLXJm", "52;c;cm0gLXJm"),  # without an end: the words stay, the clipboard is not asked
        ("10%\r20%\n", "10% 20%\n"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("caf\udce9", "caf\ufffd"),
        ("名前 👩‍👩‍👧", "名前 👩‍👩‍👧"),
    ],
)
def test_plain_text(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("low_score (3)", "low_score (3)"),
        (None, "-"),
        (0.5, "0.5"),
        ("a|b", "`a¦b`"),
        ("a\\|[x](http://a)", "`a\\¦[x](http://a)`"),
        ("`a`", "`` `a` ``"),
        ("www.a.example", "`www.a.example`"),
        ("_a_", "`_a_`"),
    ],
)
def test_a_cell(value, shown):
    assert cell(value) == shown
    assert links_and_markup(markdown_table(["what"], [[value]])) == []


def test_markup_of_the_console_is_words(capsys):
    console().print("[bold]a[/bold] :bomb: [link=http://a]b")
    assert capsys.readouterr().out == "[bold]a[/bold] :bomb: [link=http://a]b\n"
