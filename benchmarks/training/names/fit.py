"""Fit the small network that tells names, and write ultron_core/redaction/names/network.npz.

    python benchmarks/training/names/fit.py --data DIR --teacher FOLDER [--out FILE]

A transformer (teacher.py) reads sentences of DIR (sentences.py); the network learns its answers, with names of many
lists in the place of theirs (lists.py, examples.py) and short frames (frames.py). Prints the loss of each epoch;
evaluate.py measures what was written. The teacher reads for a quarter of an hour, the fit takes as long.

The shipped file was made on 2026-11-23 by these modules (the teacher's answers kept in a file between), in 4 epochs, of
32,494 sentences, 3,619 of them with names, 625 Chinese ones with Latin words that no teacher read, and frames about
programs with 8,600 names of packages (programs.txt). Its weights are those of the fit, rounded to 16 bits. The sources:

    retrieval: locomo 2,200, memory_bank_en 938        pairs: stsb_en 2,200
    segmentation: sgd_switch 2,200, tiage 193          quality: dpo_pairs_en 2,200, kto_en 2,200
    sessions, development half: claude_code_spotter 2,200, claude_code_viewer 242, pi_coding_agent 2,200,
    human_aider 111, human_claude_specstory 2,200, human_copilot_destyler_zh 406, aider_swebench_lite 2,200,
    swe_agent_traj 502, who_and_when_failures 2,200, tau_airline_anthropic 1,568, tau_airline_openai 1,568,
    reflexion_hotpot_react 1,023, fireact_hotpot 602, intercode_bash 225, intercode_sql 565, mint_alfworld 883,
    mint_code 742, glaive_toolcall_en 863, glaive_toolcall_zh 63

Licences: locomo's texts are CC BY-NC 4.0 as far as is known (not confirmed), sgd_switch and stsb_en CC BY-SA 4.0
(stsb_en's sentences keep their own), all others MIT or Apache-2.0, the Chinese ones too (crosswoz, dpo_pairs_zh,
sessions). No text of them is in this repository; weights alone derive from them, and from the answers of a teacher
under CC BY 4.0. To fit without a set, leave its file out of DIR.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

# run as a script, this file's own folder is on the path instead of the one two above it
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments
from training.names.examples import Example, Maker, Taught, taught, unread
from training.names.lists import fitted_names, fitted_programs
from training.names.sentences import chinese, collected
from training.names.student import Adam, Batch, Floats, Weights, backward, batch_of, new_weights, write
from training.names.teacher import Teacher

from ultron_core.redaction.names.network import SURNAME

OUT = ROOT / "ultron_core" / "redaction" / "names" / "network.npz"
EPOCHS = 4
#: sentences of a step
TOGETHER = 192
#: falls from the first to the last by epoch
RATE, LAST_RATE = 2e-3, 2e-4
#: sentences without names, and how often each with names comes in an epoch
PLAIN, TIMES = 15_000, 3
#: share of the words whose row is hidden, of names and of others: letters must count, a name is mostly new
HIDDEN, HIDDEN_OTHERS = 0.6, 0.12
#: share of the names that are taken for words of no list of surnames
UNLISTED = 0.35


def fit(
    sentences: Sequence[Taught], mixed: Sequence[Taught] = (), epochs: int = EPOCHS, seed: int = 1
) -> Weights:
    """`mixed`: Chinese sentences with Latin words."""
    chance = random.Random(seed)
    named = [sentence for sentence in sentences if sentence.names]
    plain = [sentence for sentence in sentences if not sentence.names][:PLAIN]
    maker = Maker(fitted_names(), plain, chance, fitted_programs())
    weights = new_weights(seed)
    adam, drops = Adam(weights), np.random.default_rng(seed)
    for epoch in range(epochs):
        examples = [maker.of_sentence(sentence) for sentence in TIMES * named]
        examples += [maker.of_plain(sentence) for sentence in (*plain, *mixed)]
        examples += [maker.of_frame() for _ in range(len(sentences) // 2)]
        examples += [maker.of_program_frame() for _ in sentences]
        chance.shuffle(examples)
        rate = RATE * (1 - epoch / epochs) + LAST_RATE
        parts = [examples[at : at + TOGETHER] for at in range(0, len(examples), TOGETHER)]
        losses = [step(weights, adam, part, rate, drops) for part in parts]
        say(epoch=epoch, examples=len(examples), loss=round(float(np.mean(losses)), 4))
    return weights


def step(
    weights: Weights, adam: Adam, examples: Sequence[Example], rate: float, drops: np.random.Generator
) -> float:
    """One step; the loss before it."""
    batch, answers, trust = tensors(examples)
    batch = hidden(batch, answers, drops)
    loss, layers, tables = backward(weights, batch, answers, trust, drops)
    adam.step(layers, tables, rate)
    return loss


def tensors(examples: Sequence[Example]) -> tuple[Batch, Floats, Floats]:
    """The words, whether each is part of a name, and how much it counts."""
    answers = np.array([answer for example in examples for answer in example.answers], np.float32)
    trust = np.array([share for example in examples for share in example.trust], np.float32)
    return batch_of([example.words for example in examples]), answers, trust


def hidden(batch: Batch, answers: Floats, chance: np.random.Generator) -> Batch:
    """Some words have the first row instead of theirs, as a word would that nobody knows; some names no list has."""
    gone = chance.random(len(answers)) < np.where(answers > 0, HIDDEN, HIDDEN_OTHERS)
    rows, flags = batch.rows.copy(), batch.flags.copy()
    rows[batch.words[gone]] = 0
    unlisted = (answers > 0) & (chance.random(len(answers)) < UNLISTED)
    flags[batch.words[unlisted], SURNAME] = 0
    return Batch(rows, batch.groups, batch.owners, flags, batch.words)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "names_fit", **fields}), flush=True)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--teacher", type=Path, required=True, metavar="FOLDER", help="see teacher.py")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    forbid_lockbox(args.data)
    teacher = Teacher(args.teacher)
    found = collected(args.data)
    say(sentences=len(found), by_source=dict(sorted(Counter(source for source, _ in found).items())))
    mixed = [unread(text) for text in chinese(args.data)]
    say(chinese=len(mixed))
    sentences = [taught(answer) for answer in teacher.answers(found)]
    say(with_names=sum(bool(sentence.names) for sentence in sentences))
    write(fit(sentences, mixed), args.out)


if __name__ == "__main__":
    main()
