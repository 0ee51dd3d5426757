"""A learner without a model: one token a word, a loss that training lowers, answers that a test chooses."""

import re

from ultron_core.training.masks import without_masked_turns
from ultron_core.training.records import Answer, Encoded

CALL = '<tool_call>{"name": "read_file", "arguments": {"path": "pyproject.toml"}}</tool_call>'


class FakeLearner:
    """Starts at a loss of 2 that a training lowers by `gain`, with each further seed by `spread` less."""

    device = "fake"

    def __init__(self, gain=1.0, spread=0.01, says=CALL):
        self.gain, self.spread, self.says = gain, spread, says
        self.words = []
        #: (contents, parent) of each training
        self.trainings = []
        self.first = self.parent = self.now = None

    def encode(self, ref, row):
        tokens, trained = [], []
        for message in row["messages"]:
            text = f"{message['role']}: {message['content']} {message.get('tool_calls', '')}"
            for word in re.findall(r"\S+", text):
                self.words.append(word)
                tokens.append(len(self.words) - 1)
                trained.append(message["role"] == "assistant")
            tokens.append(0)
            trained.append(False)
        return Encoded(ref, row["task_type"], tokens, without_masked_turns(row["messages"], trained))

    def decode(self, tokens):
        return " ".join(self.words[token] for token in tokens)

    def start(self, recipe, seed, parent):
        self.first = seed if self.first is None else self.first
        self.parent, self.now = parent, 2.0

    def train(self, rows, recipe, seed, tell):
        self.trainings.append(([row.ref.content for row in rows], self.parent))
        self.now -= self.gain - self.spread * (seed - self.first)
        tell("step 1 of 1")
        return self.now

    def loss(self, row):
        return self.now * 10, 10

    def answer(self, messages, tools):
        return Answer(self.says + "\0")

    def save(self, folder):
        folder.mkdir()
        (folder / "adapter_model.safetensors").write_bytes(b"weights")
