"""L0 (one line) and L1 (overview) of a memory, within real token counts and in the memory's language."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import count_tokens, truncate_tokens
from ultron_core.memories.prompting import ask
from ultron_core.records.asking import ask_shortened
from ultron_core.transcript.language import language, one_line, sentences

__all__ = ["Summary", "SummaryAnswer", "summarize_memory"]

_LABELS = {"en": ("Context: ", "Resolution: ", " "), "zh": ("背景：", "解决办法：", "")}


@dataclass(frozen=True, slots=True)
class Summary:
    """l0: one line for a quick scan; l1: enough to decide whether to fetch the memory."""

    l0: str
    l1: str


class SummaryAnswer(BaseModel):
    summary_l0: str = Field(max_length=1_000)
    overview_l1: str = Field(max_length=8_000)


def summarize_memory(
    content: str,
    context: str,
    resolution: str,
    llm: LLM | None = None,
    *,
    l0_max_tokens: int = 64,
    l1_max_tokens: int = 256,
) -> Summary:
    """Both summaries; offline they are made of the memory's own sentences.

    With a model (stage `summarize`) its words are cut to the same limits; ModelError passes through. A note that
    fits them as it stands needs no model.
    """
    if llm is not None and not _fits(content, context, resolution, l0_max_tokens, l1_max_tokens):
        limits = {"l0": str(l0_max_tokens), "l1": str(l1_max_tokens)}
        note = "\n".join(part for part in (content, context, resolution) if part)
        answer = ask_shortened(
            llm,
            lambda text: ask("summarize", {"note": text, **limits}),
            note,
            SummaryAnswer,
            stage="summarize",
        )
        l0, l1 = one_line(answer.summary_l0), answer.overview_l1.strip()
        return Summary(truncate_tokens(l0, l0_max_tokens), truncate_tokens(l1, l1_max_tokens))
    return Summary(
        _one_line(content or context or resolution, resolution, l0_max_tokens),
        _overview(content, context, resolution, l1_max_tokens),
    )


def _fits(content: str, context: str, resolution: str, l0: int, l1: int) -> bool:
    """Whether the content is a one-line summary, and the whole note an overview."""
    about, fix, _ = _LABELS[language(content)]
    labelled = ((about, context), (fix, resolution))
    whole = "\n".join([content, *(label + part for label, part in labelled if part)])
    return bool(content.strip()) and count_tokens(one_line(content)) <= l0 and count_tokens(whole) <= l1


def _one_line(content: str, resolution: str, limit: int) -> str:
    """The first sentence, with the first of the resolution behind it when both fit."""
    parts = [one_line(part) for part in sentences(content)] or [one_line(content)]
    line = parts[0]
    if count_tokens(line) > limit:
        return truncate_tokens(line, limit)
    rest = parts[1:] if not resolution else sentences(resolution)[:1]
    for part in rest:
        if one_line(part) in line:  # a correction is its own resolution
            continue
        longer = f"{line}{_gap(line)}{one_line(part)}"
        if count_tokens(longer) > limit:
            break
        line = longer
    return line


def _gap(line: str) -> str:
    """What joins a further sentence to a line."""
    lang = language(line)
    if line.endswith((".", "!", "?", "。", "！", "？", ";", "；")):
        return _LABELS[lang][2]
    return "。" if lang == "zh" else ". "


def _overview(content: str, context: str, resolution: str, limit: int) -> str:
    """Content, then resolution, then context get room; shown in the order content, context, resolution."""
    about, fix, _ = _LABELS[language(content or context or resolution)]
    most = limit * 3 // 5 if resolution.strip() else limit
    shown = {"content": _fit(content, most), "context": "", "resolution": ""}
    for name, label, text in (("resolution", fix, resolution), ("context", about, context)):
        used = count_tokens("\n".join(part for part in shown.values() if part)) + 4
        if text.strip() not in shown["content"] and limit - used > 12:
            share = limit - used if name == "context" else max((limit - used) * 2 // 3, 12)
            shown[name] = label + _fit(text, share - count_tokens(label))
    return truncate_tokens("\n".join(part for part in shown.values() if part), limit)


def _fit(text: str, limit: int) -> str:
    """Whole sentences of `text` up to `limit` tokens; a first sentence too long is cut."""
    if count_tokens(text) <= limit:
        return text.strip()
    gap = _LABELS[language(text)][2]
    kept = ""
    for sentence in sentences(text):
        longer = f"{kept}{gap}{one_line(sentence)}" if kept else one_line(sentence)
        if count_tokens(longer) > limit:
            break
        kept = longer
    return kept or truncate_tokens(one_line(text), limit)
