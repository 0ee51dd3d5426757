"""A base's tokenizer and chat template: rows as tokens, and which of them the model said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from ultron_core.errors import InputError
from ultron_core.training.masks import without_masked_turns
from ultron_core.training.records import Answer, Encoded, RowRef

__all__ = ["Words"]

_OWN = Path(__file__).with_name("chatml.jinja")
#: the marks of our template that only trainers understand, e.g. `{%- generation %}`
_MARKS = re.compile(r"(?:(?<!\s)\s+)?\{%-? (?:end)?generation -?%\}")
#: written by a template that can be trained with: every word in capitals appears
_PROBE: Sequence[Mapping[str, Any]] = (
    {"role": "user", "content": "ASKED"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "LOOK_UP", "arguments": {"q": "ARGUMENT"}}}
        ],
    },
    {"role": "tool", "tool_call_id": "a", "name": "LOOK_UP", "content": "RESULT"},
    {"role": "assistant", "content": "ANSWER"},
)
_PROBE_TOOLS = ({"type": "function", "function": {"name": "LOOK_UP", "parameters": {"type": "object"}}},)
_PROBED = ("ASKED", "LOOK_UP", "ARGUMENT", "RESULT", "ANSWER")


class Words:
    """The tokenizer with a template that marks what the model says."""

    def __init__(self, tokenizer: Any) -> None:
        """Raises InputError for a base whose template cannot be trained with, and that has no marks of ChatML."""
        from trl.chat_template_utils import add_response_schema

        self.tokenizer = tokenizer
        self._reads_calls = True
        training = self._of_its_family()
        if training is None:
            if "<|im_start|>" not in tokenizer.get_vocab():
                raise InputError(
                    "The base's chat template leaves out tools or calls, or TRL does not know it: use an instruct "
                    "model whose template writes both, or one with the marks of ChatML (docs/training.md)."
                )
            training = _OWN.read_text("utf-8")
            tokenizer.chat_template = _MARKS.sub("", training)
            tokenizer.eos_token = "<|im_end|>"
            self._reads_calls = False
        self._training = training
        if self._reads_calls:
            try:
                self.tokenizer = add_response_schema(tokenizer)
            except ValueError:
                self._reads_calls = False
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token

    def _of_its_family(self) -> str | None:
        """The base's own template with marks, if it writes all of a row."""
        from trl.chat_template_utils import get_training_chat_template

        if not self.tokenizer.chat_template:
            return None
        try:
            known = get_training_chat_template(self.tokenizer) or self.tokenizer.chat_template
            text = self.tokenizer.apply_chat_template(
                list(_PROBE), tools=list(_PROBE_TOOLS), tokenize=False, chat_template=known
            )
        except (ValueError, TypeError, TemplateError):
            return None
        return str(known) if all(word in text for word in _PROBED) else None

    def encode(self, ref: RowRef, row: Mapping[str, Any]) -> Encoded:
        """Raises InputError for a row that the template refuses, such as parallel calls with Llama 3.1."""
        try:
            made = self.tokenizer.apply_chat_template(
                row["messages"],
                tools=row["tools"] or None,
                chat_template=self._training,
                return_dict=True,
                return_assistant_tokens_mask=True,
            )
        except (TemplateError, TypeError, ValueError) as error:
            raise InputError(f"Row {row['id']}: the base's chat template refuses it ({error}).") from error
        trained = without_masked_turns(row["messages"], [bool(mark) for mark in made["assistant_masks"]])
        return Encoded(ref, row["task_type"], made["input_ids"], trained)

    def prompt(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Any:
        """Up to where the model speaks, as a batch of one."""
        return self.tokenizer.apply_chat_template(
            list(messages),
            tools=list(tools) or None,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
        )

    def read(self, tokens: Sequence[int]) -> Answer:
        """An answer, with its calls where the family's own way to write them is known."""
        from trl.chat_template_utils import parse_response

        text = self.tokenizer.decode(tokens, skip_special_tokens=True)
        if not self._reads_calls:
            return Answer(text)
        return Answer(text, parse_response(self.tokenizer, list(tokens)).get("tool_calls"))
