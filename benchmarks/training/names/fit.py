"""Fit the small network that tells names, and write ultron_core/redaction/names/network.npz.

    python benchmarks/training/names/fit.py --data DIR --teacher FOLDER [--out FILE]

A transformer (teacher.py) reads sentences of DIR (sentences.py); the network learns its answers, with names of many
lists in the place of theirs (lists.py, examples.py) and short frames (frames.py). Prints the loss of each epoch;
evaluate.py measures what was written. The teacher reads for a quarter of an hour, the fit takes as long.

The shipped file was made on 2026-11-22 by the scripts that these modules were written from, in 4 epochs, of 31,884
sentences, 3,467 of them with names. Its weights are those of the fit, rounded to 16 bits. The sentences by source:

    retrieval: locomo 2,198, memory_bank_en 933        pairs: stsb_en 2,200
    segmentation: sgd_switch 2,196, tiage 146          quality: dpo_pairs_en 2,187, kto_en 2,186
    sessions, development half: claude_code_spotter 2,198, claude_code_viewer 242, pi_coding_agent 2,199,
    human_aider 110, human_claude_specstory 2,200, human_copilot_destyler_zh 401, aider_swebench_lite 2,199,
    swe_agent_traj 502, who_and_when_failures 2,198, tau_airline_anthropic 1,331, tau_airline_openai 1,328,
    reflexion_hotpot_react 1,025, fireact_hotpot 602, intercode_bash 225, intercode_sql 564, mint_alfworld 882,
    mint_code 712, glaive_toolcall_en 857, glaive_toolcall_zh 63

Licences: locomo's texts are CC BY-NC 4.0 as far as is known (not confirmed), sgd_switch and stsb_en CC BY-SA 4.0
(stsb_en's sentences keep their own), all others MIT or Apache-2.0. No text of them is in this repository; weights
alone derive from them, and from the answers of a teacher under CC BY 4.0. To fit without a set, leave its file out of
DIR.

The whole of it was not run again after it was written down, and the weights will not come out the same: the first
5,760 sentences were read up to 400 characters instead of 260, then those of sources with many names before the others
(of the sentences without names the first 15,000 are used), draws came in another order, and not_names.txt has grown
since. Compared with those scripts and alike: the teacher's answers to 40 sentences, the 3,467 with names, five steps.
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
from training.names.examples import Example, Maker, Taught, taught
from training.names.lists import fitted_names
from training.names.sentences import collected
from training.names.student import Adam, Batch, Floats, Weights, backward, batch_of, new_weights, write
from training.names.teacher import Teacher

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


def fit(sentences: Sequence[Taught], epochs: int = EPOCHS, seed: int = 1) -> Weights:
    chance = random.Random(seed)
    named = [sentence for sentence in sentences if sentence.names]
    plain = [sentence for sentence in sentences if not sentence.names][:PLAIN]
    maker = Maker(fitted_names(), plain, chance)
    weights = new_weights(seed)
    adam, drops = Adam(weights), np.random.default_rng(seed)
    for epoch in range(epochs):
        examples = [maker.of_sentence(sentence) for sentence in plain + TIMES * named]
        examples += [maker.of_frame() for _ in range(len(sentences) // 2)]
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
    """Some words have the first row instead of theirs, as a word would that nobody knows."""
    gone = chance.random(len(answers)) < np.where(answers > 0, HIDDEN, HIDDEN_OTHERS)
    rows = batch.rows.copy()
    rows[batch.words[gone]] = 0
    return Batch(rows, batch.groups, batch.owners, batch.flags, batch.words)


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
    sentences = [taught(answer) for answer in teacher.answers(found)]
    say(with_names=sum(bool(sentence.names) for sentence in sentences))
    write(fit(sentences), args.out)


if __name__ == "__main__":
    main()
