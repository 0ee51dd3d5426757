"""What is found in one unit of Latin script: what rules are sure of, what they suggest and models bear out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ultron_core.redaction.names.english import (
    bare_end,
    bare_start,
    dotted,
    full_names,
    given_windows,
    name_candidates,
    names_thing,
    network_name,
    open_windows,
    open_words,
    stands_alone,
)
from ultron_core.redaction.names.lexicon import known_given, only_ordinary, plausible_name
from ultron_core.redaction.names.persons import listed, spoken_of
from ultron_core.redaction.names.programs import code_word, stranger

__all__ = ["LIKELY", "POSSIBLE", "Look", "longest_first", "strange_name"]

#: how likely the network must find each word of a name; chosen on sentences and names that it was not fitted to
LIKELY = 0.3
#: and one word of what others doubt; below it nearly all that was read was a place, a team or a title
POSSIBLE = 0.003
#: the same for one word alone that no list of names holds and nothing announces: most such words are software
_STRANGER = 0.97
#: (start, end, how likely) of the names in each text
Said = dict[str, list[tuple[int, int, float]]]


class Look:
    """A unit in Latin script: what the rules are sure of, what they suggest, and what the model has to look at."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        ruled = [(start, bare_end(unit, start, end), sure) for start, end, sure in name_candidates(unit)]
        self._sure = [(start, end) for start, end, sure in ruled if sure]
        self._windows = open_windows(unit, self._sure)
        #: (start, end, whether words around announce a person): names that need the network's consent
        self._doubts: list[tuple[int, int, bool]] = []
        #: words in no list of names that the sentence speaks of as a person
        self._spoken: list[tuple[int, int]] = []
        if self._windows:
            self._doubts += [(start, end, True) for start, end, sure in ruled if not sure]
            self._doubts += [(start, bare_end(unit, start, end), True) for start, end in full_names(unit)]
            self._spoken = [span for span in self._strange_words() if spoken_of(unit, *span)]
            self._doubts += [(start, end, True) for start, end in self._spoken]
        #: what the network reads besides: words around a given name in lower case or in capitals
        self._given = given_windows(unit)

    def open_texts(self) -> list[str]:
        return [self._unit[low:high] for low, high in self._windows]

    def network_texts(self) -> list[str]:
        return [self._unit[low:high] for low, high in (*self._windows, *self._given)]

    def hear_network(self, likely: Said, possible: Said) -> None:
        """What the network says of the same texts; a doubt that it does not share at all is dropped."""
        for start, end, odds in self._heard(likely):
            value = self._unit[start:end]
            enough = not stranger(value) or odds >= _STRANGER
            if self._prose(start, end) and enough and network_name(value):
                self._sure.append((start, end))
        hints = list(self._heard(possible))
        self._sure += [
            span for span in self._spoken if self._odds(*span, hints) >= LIKELY and self._prose(*span)
        ]
        self._sure += self._beside(hints)
        self._sure += [
            (start, end)
            for start, end, announced in self._doubts
            if not dotted(self._unit, end)
            and (
                known_given(self._unit[start:end])
                or (self._shared(start, end, hints, announced) and not code_word(self._unit, start, end))
            )
        ]

    def _strange_words(self) -> Iterator[tuple[int, int]]:
        for start, end in open_words(self._unit, self._sure):
            bare = bare_end(self._unit, start, end)
            if strange_name(self._unit[start:bare]):
                yield start, bare

    def _prose(self, start: int, end: int) -> bool:
        return stands_alone(self._unit, start, end) and not code_word(self._unit, start, end)

    def _beside(self, hints: Sequence[tuple[int, int, float]]) -> list[tuple[int, int]]:
        """Words in no list of names beside two names in a list: `Anna, Zolvane and Petra`."""
        found = []
        for members in listed(self._unit):
            names = [
                one for one in members if any(low < one[1] and one[0] < high for low, high in self._sure)
            ]
            found += [
                (start, end)
                for start, end in members
                if len(names) > 1
                and strange_name(self._unit[start:end])
                and self._odds(start, end, hints) >= POSSIBLE
                and self._prose(start, end)
            ]
        return found

    def _shared(self, start: int, end: int, hints: Sequence[tuple[int, int, float]], announced: bool) -> bool:
        """Does the network find a word of it likely enough? `announced`: words around it say that it is a person."""
        least = _STRANGER if stranger(self._unit[start:end]) and not announced else POSSIBLE
        return self._odds(start, end, hints) >= least

    @staticmethod
    def _odds(start: int, end: int, hints: Sequence[tuple[int, int, float]]) -> float:
        """How likely the likeliest word of it is."""
        return max((odds for low, high, odds in hints if low < end and start < high), default=0.0)

    def _heard(self, said: Said) -> Iterator[tuple[int, int, float]]:
        for low, high in (*self._windows, *self._given):
            for start, end, odds in said[self._unit[low:high]]:
                yield low + start, low + end, odds

    def hear(self, said: dict[str, list[tuple[int, int, bool]]]) -> None:
        """What the model says of the open texts: (start, end, whether that is enough)."""
        for low, high in self._windows:
            for start, end, sure in said[self._unit[low:high]]:
                if sure:
                    self._sure.append((low + start, low + end))
                else:
                    self._doubts.append((low + start, low + end, False))

    def names(self) -> tuple[tuple[int, int], ...]:
        """All names, longest first."""
        found = [(bare_start(self._unit, start, end), end) for start, end in self._sure]
        return longest_first(
            (start, end) for start, end in found if start < end and not names_thing(self._unit, start, end)
        )

    def coarse(self) -> tuple[tuple[int, int], ...]:
        """All that may be a name, where no model can be asked."""
        suggested = [(start, end) for start, end, _ in self._doubts]
        return longest_first(self._sure + suggested + open_words(self._unit, self._sure))


def strange_name(value: str) -> bool:
    """Could this be a name, although no list holds it?"""
    return stranger(value) and plausible_name(value) and not only_ordinary(value)


def longest_first(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(spans, key=lambda span: (span[0] - span[1], span[0])))
