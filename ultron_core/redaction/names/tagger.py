"""spaCy's entity recogniser, run over many short texts at once: the same entities in a third of the time.

Each distinct word is embedded once a batch, and all texts take their next step together. spaCy's own loop takes one
state at a time, which costs as much as the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BatchedRecogniser"]

#: texts that are decoded together; with more, the numbers no longer fit into the processor's cache
_TOGETHER = 128
#: texts that are read before the first is decoded
_AT_ONCE = 16 * _TOGETHER

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class BatchedRecogniser:
    """Stands in for a spaCy pipeline with nothing but `ner`, whose weights it holds."""

    def __init__(self, nlp: Any) -> None:
        from spacy.attrs import IS_SPACE, intify_attr
        from thinc.api import NumpyOps
        from threadpoolctl import ThreadpoolController

        self._space = IS_SPACE
        ner = nlp.get_pipe("ner")
        for layer in ner.model.walk():
            layer.ops = NumpyOps(use_blis=False)  # numpy multiplies these small matrices twice as fast
        self._read = nlp.make_doc
        #: with more than one, threads wait for each other longer than they work
        self._threads = ThreadpoolController()
        network, _, to_hidden = ner.model.get_ref("tok2vec").layers
        words, self._encoder = network.layers
        features, _, hashes, mixer, _ = words.layers
        self._columns = features.attrs["columns"]
        # a word that is new to the vocabulary gets what the network looks at, not thirty attributes
        read = {*map(intify_attr, self._columns), IS_SPACE}
        self._vocabulary = nlp.vocab
        known = nlp.vocab.lex_attr_getters
        nlp.vocab.lex_attr_getters = {one: known[one] for one in known if one in read}
        self._hashes, self._mixer, self._to_hidden = hashes, mixer, to_hidden
        lower, upper = ner.model.get_ref("lower"), ner.model.get_ref("upper")
        #: (features, hidden, pieces, input) and what stands for a feature that is not there
        self._weights: Floats = lower.get_param("W")
        self._padding: Floats = lower.get_param("pad")[0].reshape(len(self._weights), -1)
        self._bias: Floats = lower.get_param("b")
        self._scores: tuple[Floats, Floats] = (upper.get_param("W").T, upper.get_param("b"))
        moves = [ner.moves.get_class_name(i).partition("-") for i in range(ner.moves.n_moves)]
        self._labels = sorted({label for _, _, label in moves if label})
        self._kinds: NDArray[np.str_] = np.array([kind for kind, _, _ in moves])
        self._label_of: Ints = np.array([self._labels.index(label) if label else -1 for _, _, label in moves])

    @property
    def words(self) -> int:
        """Distinct words that it keeps: spaCy never forgets one."""
        return len(self._vocabulary)

    def __call__(self, text: str) -> Any:
        return next(self.pipe([text]))

    def pipe(self, texts: Iterable[str], **_: Any) -> Iterator[Any]:
        """A document for each text, with its entities, in order."""
        waiting = iter(texts)
        while some := [self._read(text) for text in islice(waiting, _AT_ONCE)]:
            # texts of one length take their steps together to the end
            by_length = sorted(some, key=len)
            for start in range(0, len(by_length), _TOGETHER):
                self._label(by_length[start : start + _TOGETHER])
            yield from some

    def _label(self, docs: Sequence[Any]) -> None:
        from spacy.tokens import Span

        filled = [doc for doc in docs if len(doc)]
        if not filled:
            return
        with self._threads.limit(limits=1, user_api="blas"):
            entities = self._decode(filled)
        for doc, found in zip(filled, entities, strict=True):
            doc.ents = [Span(doc, start, end, label=self._labels[label]) for start, end, label in found]

    def _vectors(self, docs: Sequence[Any]) -> Floats:
        """One row a token, of all documents one after another."""
        keys = np.concatenate([doc.to_array(self._columns) for doc in docs])
        distinct, where = np.unique(keys, axis=0, return_inverse=True)
        words: Floats = self._mixer.predict(self._hashes.predict(distinct))[where.reshape(-1)]
        ends = np.cumsum([len(doc) for doc in docs])
        encoded = self._encoder.predict(np.split(words, ends[:-1]))
        hidden: Floats = self._to_hidden.predict(np.concatenate(encoded))
        return hidden

    def _decode(self, docs: Sequence[Any]) -> list[list[tuple[int, int, int]]]:
        vectors = self._vectors(docs)
        count, hidden, pieces, width = self._weights.shape
        flat = self._weights.reshape(-1, width)
        seen = (vectors @ flat.T).reshape(len(vectors), count, hidden * pieces)
        seen = np.concatenate([seen, self._padding[None]])
        nothing = len(vectors)
        blank = np.concatenate([doc.to_array(self._space) for doc in docs]).astype(bool)
        ends = np.cumsum([len(doc) for doc in docs])
        starts = ends - [len(doc) for doc in docs]
        found: list[list[tuple[int, int, int]]] = [[] for _ in docs]
        at, begun, label = starts.copy(), np.full(len(docs), -1), np.full(len(docs), -1)
        going = np.arange(len(docs))
        while len(going):
            here, opened = at[going], begun[going] >= 0
            first = np.where(opened, begun[going], nothing)
            last = np.where(opened, here - 1, nothing)
            state = seen[here, 0] + seen[first, 1] + seen[last, 2]
            state = (state.reshape(-1, hidden, pieces) + self._bias).max(2)
            scores = state @ self._scores[0] + self._scores[1]
            scores[~self._allowed(opened, label[going], blank[here], here + 1 == ends[going])] = -np.inf
            move = scores.argmax(1)
            kind, said = self._kinds[move], self._label_of[move]
            for row in np.flatnonzero((kind == "U") | (kind == "L")):
                doc = going[row]
                start = here[row] if kind[row] == "U" else begun[doc]
                found[doc].append(
                    (int(start - starts[doc]), int(here[row] + 1 - starts[doc]), int(said[row]))
                )
            begun[going] = np.where(kind == "B", here, np.where(kind == "I", begun[going], -1))
            label[going] = np.where(kind == "O", -1, said)
            at[going] += 1
            going = going[at[going] < ends[going]]
        return found

    def _allowed(self, opened: Bools, label: Ints, blank: Bools, final: Bools) -> Bools:
        """Which moves each state may take: an entity ends with the text and does not begin with white space."""
        kinds, row = self._kinds[None], (slice(None), None)
        inside = opened[row] & (self._label_of[None] == label[row])
        inside &= (kinds == "L") | ((kinds == "I") & ~final[row])
        named = (self._label_of[None] >= 0) & ~blank[row]
        outside = (kinds == "O") | (named & ((kinds == "U") | ((kinds == "B") & ~final[row])))
        result: Bools = inside | (outside & ~opened[row])
        return result
