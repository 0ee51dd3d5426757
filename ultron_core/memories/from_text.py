"""A text that somebody hands in -> memory drafts: split by meaning, nothing lost.

A text is cut at blank lines and headings into blocks. A block that describes a problem (error, cause, fix; in
English or Chinese, as prose or as a list) is one draft with content, context and resolution. Other blocks
are drafts of their own when they say something lasting, and otherwise join the draft before them, so that
every sentence of the text is in some draft.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import count_tokens, truncate_tokens
from ultron_core.memories.by_model import ingest_with_model
from ultron_core.memories.classify import classify_memory
from ultron_core.models import Evidence, MemoryDraft
from ultron_core.transcript.language import CJK, sentences

__all__ = ["extract_from_text"]

#: a longer paragraph is divided: a memory holds one lesson
_BLOCK_TOKENS = 400
#: of a text in one call
_MODEL_TOKENS = 16_000
#: "- ", "2) ", "①", "## "
_MARK = re.compile(r"^\s*(?:[-*•+]|\(?\d{1,2}[.)、]|\d{1,2}\.|[①-⑩]|#+)\s*")
#: also a short line that ends in a colon, e.g. `## Deploying`, `How to deploy:`
_HEADING = re.compile(r"^\s*(?:#+\s+\S.*|[^.。!?！？]{1,60}[:：])\s*$")
#: "Root cause: ...", "解决办法：..."
_LABELS = {
    "problem": "error|problem|issue|symptom|bug|failure|message|错误(?:信息)?|问题|报错|现象|故障|症状",
    "cause": "(?:root )?cause|reason|why|diagnosis|because|原因|根因|根本原因|分析",
    "fix": "fix|solution|resolution|resolved by|workaround|remedy|answer|"
    "修复|解决(?:方案|办法|方法)?|处理|办法|对策|方案",
    "context": "context|environment|where|setup|background|when|环境|背景|场景|位置",
}
#: the label that a line of a plain text begins with, e.g. `Fix: restart the worker`, `环境：生产`
_ROLES = {name: re.compile(rf"^(?:{words})\s*[:：]\s*", re.IGNORECASE) for name, words in _LABELS.items()}
#: "Hi team," / "谢谢！"
_GREETING = re.compile(
    r"^(?:hi|hello|hey|dear|thanks?|thank you|regards|best|cheers|good (?:morning|evening)|bye|lol|ok(?:ay)?)\b"
    r"[^.。]{0,60}[.!。！,，]?\s*$|^(?:你好|您好|大家好|谢谢|再见|祝好|辛苦了|哈哈)[^.。]{0,12}[.!。！,，]?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    raw: str
    text: str


def extract_from_text(text: str, llm: LLM | None = None) -> list[MemoryDraft]:
    """Drafts with evidence by line of `text` (1-based). Texts over a model's window go in parts.

    With a model (stage `extract`) ModelError passes through.
    """
    lines = [_Line(i, raw, _MARK.sub("", raw).strip()) for i, raw in enumerate(text.splitlines(), start=1)]
    if llm is not None:
        return ingest_with_model(text, _model_parts(lines), llm) if text.strip() else []
    drafts: list[MemoryDraft] = []
    for block in _blocks(lines):
        drafts += _block_drafts(block)
    return drafts


def _model_parts(lines: Sequence[_Line]) -> list[str]:
    """Blocks with numbered lines, packed up to the budget; a line longer than it is split by sentences."""
    parts: list[str] = []
    used = 0
    for block in _blocks(lines):
        shown = "\n".join(f"[{line.number}] {line.raw}" for line in block)
        for piece in _split_long(shown, _MODEL_TOKENS):
            size = count_tokens(piece)
            if not parts or used + size > _MODEL_TOKENS:
                parts.append(piece)
                used = size
            else:
                parts[-1] += f"\n\n{piece}"
                used += size
    return parts


def _split_long(text: str, limit: int) -> list[str]:
    if count_tokens(text) <= limit:
        return [text]
    pieces: list[str] = []
    current = ""
    for unit in _units(text, limit):
        longer = f"{current}\n{unit}" if current else unit
        if current and count_tokens(longer) > limit:
            pieces.append(current)
            current = unit
        else:
            current = longer
    return [*pieces, current] if current else pieces


def _units(text: str, limit: int) -> list[str]:
    """Sentences, and a sentence over the limit in slices that fit."""
    units: list[str] = []
    for sentence in sentences(text):
        while count_tokens(sentence) > limit:
            head = truncate_tokens(sentence, limit, mark="")
            head = head or sentence[:limit]
            units.append(head)
            sentence = sentence[len(head) :]
        if sentence:
            units.append(sentence)
    return units


def _blocks(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Runs of lines between blank lines; a heading stays with what follows it; no empty block."""
    blocks: list[list[_Line]] = []
    fresh = True
    for line in lines:
        if not line.raw.strip():
            only_heading = (
                bool(blocks) and len(blocks[-1]) == 1 and _HEADING.match(blocks[-1][0].raw) is not None
            )
            fresh = not only_heading
            continue
        if fresh or (line.raw.lstrip().startswith("#") and len(blocks[-1]) > 1):
            blocks.append([])
        blocks[-1].append(line)
        fresh = False
    return _join_labelled(blocks)


def _join_labelled(blocks: list[list[_Line]]) -> list[list[_Line]]:
    """A block that begins with "Cause:" or "Fix:" belongs to the problem before it."""
    joined: list[list[_Line]] = []
    for block in blocks:
        role = _role(block[0].text)
        if joined and role in ("cause", "fix") and _roles(joined[-1]) and role not in _roles(joined[-1]):
            joined[-1] += block
        else:
            joined.append(block)
    return joined


def _role(text: str) -> str | None:
    return next((name for name, pattern in _ROLES.items() if pattern.match(text)), None)


def _roles(block: Sequence[_Line]) -> set[str]:
    return {role for line in block if (role := _role(line.text))}


def _block_drafts(block: list[_Line]) -> list[MemoryDraft]:
    block = [line for line in block if not _GREETING.match(line.text)]
    if not block:
        return []
    block = _inline_roles(block)
    roles = _roles(block)
    if "fix" in roles or {"problem", "cause"} <= roles:
        return [_problem(block)]
    return _notes(block)


def _inline_roles(block: list[_Line]) -> list[_Line]:
    """ "Error: x. Cause: y. Fix: z." on one line becomes three."""
    lines = []
    for line in block:
        found = [sentence for sentence in sentences(line.text) if not _GREETING.match(sentence)]
        if sum(_role(sentence) is not None for sentence in found) < 2:
            lines.append(line)
            continue
        for sentence in found:
            if _role(sentence) or not lines or lines[-1].number != line.number:
                lines.append(_Line(line.number, line.raw, sentence))
            else:
                lines[-1] = _Line(line.number, line.raw, f"{lines[-1].text} {sentence}")
    return lines


def _problem(block: Sequence[_Line]) -> MemoryDraft:
    """Labelled lines by their label, lines after a label to that label, lines before any to the context."""
    parts: dict[str, list[str]] = {"problem": [], "cause": [], "fix": [], "context": []}
    where = "context"
    for number, line in enumerate(block):
        role = _role(line.text)
        if role:
            where = role
            text = _ROLES[role].sub("", line.text, count=1)
        else:
            text = line.text
        if text.strip() and not (number == 0 and role is None and _HEADING.match(line.raw)):
            parts[where].append(text.strip())
    problem = parts["problem"]
    if not problem:
        # the line just before the cause says what went wrong
        problem, parts["context"] = parts["context"][-1:], parts["context"][:-1]
    if not problem:
        problem, parts["cause"] = parts["cause"], []
    heading = [
        line.text.rstrip(":：# ") for line in block[:1] if _HEADING.match(line.raw) and not _role(line.text)
    ]
    content, resolution = " ".join(problem), " ".join(parts["fix"])
    cause = " ".join(parts["cause"])
    if cause:
        content = f"{content} {_cause_label(content)}{cause}".strip()
    return _made(block, content, " ".join([*heading, *parts["context"]]), resolution, 0.8)


def _cause_label(text: str) -> str:
    return "原因：" if CJK.search(text) else "Cause: "


def _notes(block: Sequence[_Line]) -> list[MemoryDraft]:
    """A block without labels: one draft, or several of whole sentences when it is long."""
    text = "\n".join(line.text for line in block if line.text)
    drafts = []
    for piece in _split_long(text, _BLOCK_TOKENS):
        lines = _lines_of(piece, block)
        drafts.append(_made(lines, piece.strip(), "", "", 0.6))
    return drafts


def _lines_of(piece: str, block: Sequence[_Line]) -> list[_Line]:
    found = [line for line in block if line.text and (line.text in piece or piece in line.text)]
    if not found:
        found = [line for line in block if any(part in line.text for part in piece.splitlines())]
    return found or list(block)


def _made(
    lines: Sequence[_Line], content: str, context: str, resolution: str, confidence: float
) -> MemoryDraft:
    quotes = list(dict.fromkeys((line.number, line.raw.strip()[:400].strip()) for line in lines))
    return MemoryDraft(
        content=content,
        context=context,
        resolution=resolution,
        confidence=confidence,
        memory_type=classify_memory(content, context, resolution),
        evidence=tuple(Evidence(number, number, quote) for number, quote in quotes[:5]),
    )
