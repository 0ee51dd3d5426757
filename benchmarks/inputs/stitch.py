"""Training sessions made by putting permissively licensed tasks one after another. Seeded: always the same ones.

Pieces: the single-task sets, the CrossWOZ pieces of stitched_zh and the chats of the LLaMA-Factory demo data
(Apache-2.0). System prompts are left out, and half of the closing courtesies, so that a farewell is no sure sign.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from inputs.dialogues import Dialogue
from inputs.marked import REPOSITORY

from ultron_core.models import Message, as_messages
from ultron_core.transcript.speech import is_only_courtesy

__all__ = ["CHATS", "FAMILY", "chat_file", "chats", "made_sessions"]

Piece = tuple[str, tuple[Message, ...]]

CHATS = ("dpo_pairs_en", "dpo_pairs_zh", "kto_en")
#: pools and sets that come from one source
FAMILY = {
    "tau": "tau", "tau_airline_openai": "tau", "aider": "aider", "aider_swebench_lite": "aider",
    "hotpot": "hotpot", "reflexion_hotpot_react": "hotpot", "whowhen": "whowhen",
    "who_and_when_failures": "whowhen", "glaive": "glaive", "glaive_zh": "glaive",
    "glaive_toolcall_en": "glaive", "glaive_toolcall_zh": "glaive", "crosswoz_single": "crosswoz",
    "crosswoz_joint": "crosswoz", "crosswoz_switch_zh": "crosswoz_switch",
    "fireact_hotpot": "hotpot", "mint_code": "mint", "mint_alfworld": "mint",
    "intercode_sql": "intercode", "intercode_bash": "intercode", **REPOSITORY,
}  # fmt: skip
_ENGLISH = (
    "tau_airline_openai", "aider_swebench_lite", "reflexion_hotpot_react", "who_and_when_failures",
    "glaive_toolcall_en", "chat_en", "fireact_hotpot", "mint_code", "mint_alfworld", "intercode_sql",
    "intercode_bash", "human_claude_specstory", "claude_code_spotter", "human_aider", "pi_coding_agent",
)  # fmt: skip
_CHINESE = (
    "glaive_toolcall_zh",
    "crosswoz_single",
    "crosswoz_joint",
    "crosswoz_switch_zh",
    "human_copilot_destyler_zh",
    "chat_zh",
)
_EACH = 80


def chat_file(data: Path, name: str) -> Path:
    return data / "quality" / f"{name}.jsonl.gz"


def chats(data: Path) -> list[Dialogue]:
    """One-topic chats; `group` is chat_en or chat_zh. Empty when the files are absent."""
    found = []
    for name in CHATS:
        if not chat_file(data, name).exists():
            continue
        with gzip.open(chat_file(data, name), "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                answer = [{"role": "assistant", "content": row["chosen"]}] if "chosen" in row else []
                messages = tuple(as_messages([*(row.get("context") or row["messages"]), *answer]))
                group = "chat_zh" if name.endswith("zh") else "chat_en"
                piece = (0, len(messages), group, row["id"])
                found.append(Dialogue(row["id"], group, messages, (), (piece,)))
    return found


def made_sessions(sources: Sequence[Dialogue]) -> Iterator[Dialogue]:
    """80 sessions of two to six tasks for each recipe: English, Chinese, anything; 160 of one source alone."""
    pools = _pools(sources)
    english = [n for n in _ENGLISH if n in pools]
    chinese = [n for n in _CHINESE if n in pools]
    for recipe, names in {"en": english, "zh": chinese, "same": [], "any": [*english, *chinese]}.items():
        for number in range(_EACH if names else 2 * _EACH):
            rng = random.Random(f"{recipe}{number}")
            count = rng.randint(2, 6)
            chosen = rng.choices(names, k=count) if names else [rng.choice([*english, *chinese])] * count
            yield _stitch(f"made_{recipe}", number, [(n, rng.choice(pools[n])) for n in chosen], rng)


def _pools(sources: Sequence[Dialogue]) -> dict[str, list[Piece]]:
    """Each different text once, by pool; stitched sets give only their CrossWOZ pieces."""
    pools: dict[str, list[Piece]] = {}
    seen: set[tuple[str, ...]] = set()
    for dialogue in sources:
        for start, end, pool, task in dialogue.pieces:
            own = tuple(m for m in dialogue.messages[start:end] if m.role != "system")
            text = tuple(m.content for m in own)
            if pool in {*_ENGLISH, *_CHINESE} and text not in seen and len(own) > 2:
                seen.add(text)
                pools.setdefault(pool, []).append((task, own))
    return pools


def _stitch(group: str, number: int, chosen: Sequence[tuple[str, Piece]], rng: random.Random) -> Dialogue:
    messages: list[Message] = []
    pieces: list[tuple[int, int, str, str]] = []
    for pool, (task, own) in chosen:
        if any(task == known for *_, known in pieces):
            continue
        kept = _without_farewell(own) if rng.random() < 0.5 else own
        pieces.append((len(messages), len(messages) + len(kept), pool, task))
        messages += kept
    starts = tuple(start for start, *_ in pieces[1:])
    return Dialogue(f"{group}_{number}", group, tuple(messages), starts, tuple(pieces))


def _without_farewell(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    said = [i for i, m in enumerate(messages) if m.role == "user" and m.content.strip()]
    if len(said) > 1 and is_only_courtesy(messages[said[-1]].content):
        return messages[: said[-1]]
    return messages
