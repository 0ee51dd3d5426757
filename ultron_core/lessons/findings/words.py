"""Classes of words by their n-grams, as transcript/acts gives them: a word, `two words`, each Chinese character a word
of its own, `^` before those that open a sentence. Each is one input of a fitted model; no class decides anything."""

from __future__ import annotations

from typing import Final

__all__ = ["CLASSES"]


def _grams(english: str, chinese: str, *, opening: bool = False) -> frozenset[str]:
    """Entries are parted by commas."""
    words = [word.strip() for word in english.split(",")] + [
        " ".join(word.strip()) for word in chinese.split(",")
    ]
    mark = "^" if opening else ""
    return frozenset(mark + word for word in words if word)


CLASSES: Final[dict[str, frozenset[str]]] = {
    # the agent speaks of itself: "I found", "let me"
    "first_person": _grams("i, i'm, i'll, i've, i'd, let me, my", "我"),
    "we": _grams("we, our, us", "我们"),
    "you": _grams("you, your, you're", "你,您"),
    # opens with who acts or when, e.g. `Now add it`, `让我看`
    "self": _grams(
        "i, i'm, i'll, i've, i'd, let me, let's, now, next, first, we, you, please, your",
        "我,让我,现在,接下,请,你",
        opening=True,
    ),
    # opens with what only its neighbours name: `This handles the case`, `它会忽略`
    "pointing": _grams(
        "this, these, those, that, it, they, there, both, such, here, then, however, also, so, but, and, otherwise, "
        "the above, the following, the former, the latter",
        "这,那,它,此,该,上述,以上,以下,同时,然后,但,所以,因此,其中",
        opening=True,
    ),
    # what is still to be done: "needs to be moved", "建议改用"
    "plan": _grams(
        "will, going to, plan, planning, need to, needs to, should, would, could, can be, let me, let's, to fix, "
        "to address, next step",
        "将,会,需要,应该,可以,建议,计划",
    ),
    "hedge": _grams(
        "likely, might, may, maybe, probably, perhaps, seem, seems, appear, appears, suspect, suspected, presumably, "
        "possibly, considering, if",
        "可能,也许,似乎,如果",
    ),
    "tests": _grams("test, tests", "测试"),
    # a review's words: "clean", "well"
    "praise": _grams(
        "good, excellent, nice, clean, clear, clearly, complete, correct, correctly, great, well, simple, solid, fine, "
        "proper, properly, graceful, robust, ensure, ensures, easy",
        "完整,清晰,良好,不错,优秀",
    ),
    "reason": _grams(
        "because, since, so that, due to, as it, so, which means, therefore, otherwise, the reason, in order",
        "因为,由于,所以,因此,导致,以便,避免,否则,从而",
    ),
    # what does not hold or holds alone: "never", "rather than", "只有"
    "contrast": _grams(
        "rather than, instead, unlike, not, never, only, cannot, can't, doesn't, don't, isn't, aren't, without, "
        "no longer, even, always, must, except, unless",
        "不,没有,只,必须,仅,无法,总是",
    ),
    # what a part of a program does: "returns", "读取"
    "does": _grams(
        "return, returns, call, calls, use, uses, map, maps, read, reads, write, writes, store, stores, load, loads, "
        "hold, holds, handle, handles, control, controls, require, requires, expect, expects, ignore, ignores, skip, "
        "skips, append, appends, set, sets, create, creates, contain, contains, include, includes, support, supports, "
        "run, runs, passes, receive, receives, record, records, show, shows, live, lives, keep, keeps, provide, "
        "provides, define, defines, overwrite, overwrites, override, overrides, default, defaults, track, tracks, "
        "emit, emits, check, checks, prefer, prefers, carries, depend, depends",
        "返回,调用,使用,读取,写入,存储,包含,支持,忽略,默认,依赖,位于",
    ),
    "is": _grams("is, are, has, have", "是,有"),
}
