"""How a user turn relates to the segment running before it, as numbers."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from ultron_core.embeddings.protocol import Vectors
from ultron_core.segments.offline import cues
from ultron_core.segments.offline.around import AROUND
from ultron_core.segments.offline.turns import Turn
from ultron_core.segments.offline.vectors import TurnVectors, unit
from ultron_core.transcript.speech import FAREWELL, is_question

__all__ = ["FEATURES", "Running", "describe"]

FEATURES = (
    "user_segment", "user_last", "user_max", "user_reply", "both_segment", "both_last", "both_max",
    "user_own_reply", "inner", "inner_less_max", "opening",
    "seen_user", "seen_user_last", "seen_reply", "seen_said", "new_terms", "names_seen", "names_new",
    "user_length", "segment_turns", "segment_messages", "longer_than_usual", "first_exchange",
    "after_user", "asked_before", "question", "request", "announce", "answer", "anaphora", "continue",
    "nearby", "closing_user", "closing_model", "no_reply",
    "code_fence", "lines", "stretch", "user_opening", "nearby_before", "nearby_last",
    "seen_by_user", "seen_by_model", "phrases_seen", "numbers", "requests", "inner_least", "user_less_usual",
    "cut_known", "cut_level", "nearer_than_cuts", "work_seen", "names_worked", "session_turns",
    "awaited", "offered", "slight", "works", "beside_opening", *AROUND,
)  # fmt: skip


#: A segment that has run for hundreds of turns is compared by its latest ones.
_WINDOW = 40


@dataclass
class Session:
    """What the thread has been like so far, over all its segments."""

    turns: int = 0
    works: bool = False
    coding: bool = False


@dataclass
class Running:
    """The segment that runs before a candidate turn, as sums that are cheap to add to."""

    turns: int = 0
    messages: int = 0
    last: Turn | None = None
    #: of the latest turns, and how near each came to the one before it
    vectors: deque[TurnVectors] = field(default_factory=lambda: deque(maxlen=_WINDOW))
    neighbours: deque[float] = field(default_factory=lambda: deque(maxlen=_WINDOW))
    terms: set[str] = field(default_factory=set)
    user_terms: set[str] = field(default_factory=set)
    phrases: set[str] = field(default_factory=set)
    nearby: int = 0
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    log_lengths: float = 0.0
    #: a person asked for something, and nothing has been done about it yet
    asked: bool = False
    waiting: bool = False
    opening_length: float = 0.0
    work: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    session: Session = field(default_factory=lambda: Session())
    #: earlier boundaries of the thread, and how near the new task was to the old one at each, summed up
    cuts: int = 0
    cut_levels: float = 0.0

    def after_cut(self, found: Mapping[str, float]) -> Running:
        """The next segment, which remembers how sharp the boundaries before it were."""
        level = self.cut_levels + found["both_max"]
        return Running(cuts=self.cuts + 1, cut_levels=level, session=self.session)

    def is_coding(self, turn: Turn) -> bool:
        """Whether a turn belongs to work on the files of a project: it or the turn before it speaks of them, or it
        speaks of code where an earlier one did."""
        last = self.last is not None and self.last.codes
        return turn.codes or last or (self.session.coding and turn.about_code)

    def new_files(self, turn: Turn) -> float:
        """Share of the files of what was done about a turn that the segment had not touched before."""
        return _part(len(turn.files - self.files), turn.files)

    def add(self, turn: Turn, vectors: TurnVectors, messages: int) -> None:
        """Take one more turn in, with the number of messages up to the next one."""
        if self.vectors:
            self.neighbours.append(float(vectors.both @ self.vectors[-1].both))
        self.vectors.append(vectors)
        self.waiting = (self.waiting or not self.turns) and not turn.answered
        self.asked = self.asked or not turn.is_empty
        self.turns += 1
        self.messages += messages
        self.terms |= turn.terms | turn.reply_terms
        self.user_terms |= turn.terms
        self.phrases |= turn.phrases | turn.reply_phrases
        self.nearby += bool(cues.NEARBY.search(turn.text[:300]))
        self.texts.add(turn.text)
        self.names |= turn.names
        self.files |= turn.files
        self.log_lengths += math.log1p(turn.length)
        self.last = turn
        self.session.turns += 1
        self.session.works = self.session.works or turn.works
        self.session.coding = self.session.coding or turn.codes
        self.opening_length = self.opening_length or math.log1p(turn.length)


def describe(turn: Turn, own: TurnVectors, around: Mapping[str, float], running: Running) -> dict[str, float]:
    """The features of one candidate, by the names in FEATURES; most lie between -1 and 1.

    `around` is what around_turns says of this turn.
    """
    found = {
        **_similarity(own, running),
        **_words(turn, running),
        **_shape(turn, running),
        **_cue_words(turn, running),
        **_session(turn, running),
        **around,
    }
    return {name: float(found[name]) for name in FEATURES}


def _similarity(own: TurnVectors, running: Running) -> dict[str, float]:
    recent = running.vectors
    if not recent:
        return dict.fromkeys(FEATURES, 0.0)
    users = np.stack([v.user for v in recent])
    both = np.stack([v.both for v in recent])
    user_each, both_each = users @ own.user, both @ own.both
    near = running.neighbours
    # two pseudo-observations at a usual value keep a young segment from looking tight or loose
    inner = (sum(near) + 2 * 0.4) / (len(near) + 2)
    return {
        "user_segment": own.user @ unit(users.sum(0)),
        "user_last": user_each[-1],
        "user_max": user_each.max(),
        "user_reply": own.user @ recent[-1].reply,
        "both_segment": own.both @ unit(both.sum(0)),
        "both_last": both_each[-1],
        "both_max": both_each.max(),
        "user_own_reply": own.user @ own.reply,
        "inner": inner,
        "inner_less_max": inner - both_each.max(),
        "opening": own.both @ both[0],
        "user_opening": user_each[0],
        "inner_least": min(near) if near else 0.4,
        **_granularity(float(both_each.max()), running),
        "user_less_usual": user_each.max() - _usual(users),
    }


def _granularity(nearest: float, running: Running) -> dict[str, float]:
    """Sessions differ in what counts as another task: a shift is seen beside the earlier ones, as TextTiling's
    cut-off is relative to the mean depth of its document (Hearst 1997)."""
    level = (running.cut_levels + 0.4) / (running.cuts + 1)
    return {
        "cut_known": bool(running.cuts),
        "cut_level": level,
        "nearer_than_cuts": nearest - level if running.cuts else 0.0,
    }


def _usual(users: Vectors) -> float:
    """How near each user turn of the segment came to the ones before it."""
    if len(users) < 2:
        return 0.4
    table = np.tril(users @ users.T, -1)
    return float((table[1:].max(axis=1).sum() + 0.8) / (len(users) + 1))


def _words(turn: Turn, running: Running) -> dict[str, float]:
    last = running.last
    last_terms = last.terms | last.reply_terms if last else frozenset()
    # the words of a segment that has run for long are many: they are asked for, never copied
    from_model = sum(term in running.terms and term not in running.user_terms for term in turn.terms)
    return {
        "seen_user": _share(turn.terms, running.terms),
        "seen_user_last": _share(turn.terms, last_terms | turn.body_terms),
        "seen_reply": _share(turn.reply_terms, running.terms),
        "seen_said": _share(turn.reply_terms, running.terms, turn.terms),
        "new_terms": math.log1p(len(turn.terms - running.terms)),
        "seen_by_user": _share(turn.terms, running.user_terms),
        "seen_by_model": _part(from_model, turn.terms),
        "phrases_seen": math.log1p(len(turn.phrases & running.phrases)),
        "nearby_before": running.nearby / max(running.turns, 1),
        "nearby_last": bool(last and cues.NEARBY.search(last.text[:300])),
        "names_seen": min(len(turn.names & running.names), 3) / 3,
        "names_new": min(len(turn.names - running.names), 4) / 4,
    }


def _shape(turn: Turn, running: Running) -> dict[str, float]:
    usual = running.log_lengths / max(running.turns, 1)
    return {
        "user_length": math.log1p(min(turn.length, 5000)) / 5,
        "segment_turns": math.log1p(running.turns) / 3,
        "segment_messages": math.log1p(running.messages) / 4,
        "longer_than_usual": max(min(math.log1p(turn.length) - usual, 2.0), -2.0),
        "first_exchange": running.turns <= 1,
        "slight": running.turns <= 1 and turn.stretch <= 2,
        "after_user": turn.after_user,
        "no_reply": not turn.reply,
        "code_fence": "```" in turn.text,
        "stretch": math.log1p(turn.stretch) / 4,
        "numbers": min(sum(c.isdigit() for c in turn.text), 12) / 12,
        "lines": min(turn.text.count("\n"), 10) / 10,
    }


def _cue_words(turn: Turn, running: Running) -> dict[str, float]:
    head = turn.text[:160]
    said_before = turn.last_text[-160:]
    return {
        "asked_before": is_question(said_before),
        "question": is_question(turn.text),
        "request": bool(cues.REQUEST.search(turn.text[:300])),
        "requests": min(len(cues.REQUEST.findall(turn.text[:400])), 4) / 4,
        "announce": bool(cues.ANNOUNCE.search(turn.text[:300])),
        "answer": bool(cues.ANSWER.search(head)),
        "anaphora": bool(cues.ANAPHORA.search(head)),
        "continue": bool(cues.CONTINUE.search(head)),
        "nearby": bool(cues.NEARBY.search(turn.text[:300])),
        "closing_user": bool(running.last and FAREWELL.search(running.last.text[-160:])),
        "closing_model": bool(FAREWELL.search(said_before)),
        "offered": (offered := bool(cues.OFFERS.search(said_before))),
        "awaited": not offered and (is_question(said_before) or bool(cues.AWAITS.search(said_before))),
    }


def _session(turn: Turn, running: Running) -> dict[str, float]:
    session = running.session
    worked = sum(name in running.work or name in turn.work for name in turn.names)
    return {
        "work_seen": _share(turn.terms, running.work, turn.work, running.terms),
        "names_worked": min(worked, 3) / 3,
        "session_turns": math.log1p(session.turns) / 3,
        "works": session.works or turn.works,
        "beside_opening": max(min(math.log1p(turn.length) - running.opening_length, 3.0), -3.0),
    }


def _share(terms: Set[str], *known: Set[str]) -> float:
    """Part of the terms that are known in any of these, 0.5 when there is nothing to judge by (one term's weight)."""
    return _part(sum(any(term in seen for seen in known) for term in terms), terms)


def _part(count: int, terms: Set[str]) -> float:
    return (count + 0.5) / (len(terms) + 1)
