"""One passage of a log that may be worth keeping, with where it stands and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["LONGEST", "Author", "Candidate", "Source"]

#: characters of one candidate; 132 of 190 notes that readers wrote from native logs are one passage of this length
LONGEST = 400

#: Where a passage stands: in an agent's last words before a person's next turn, in what it said before, in a summary of
#: an earlier part of the session, in a person's turn, beside a call they refused, in their answer to a question, in an
#: instruction file; or a failure that one change cured.
Source = Literal["closing", "remark", "recap", "turn", "refusal", "choice", "guide", "cure"]
Author = Literal["person", "agent", "tool", "file"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """`text` stands in the message at `position` as it is; lines are physical, 1-based and inclusive."""

    source: Source
    author: Author
    text: str
    position: int
    start_line: int
    end_line: int
    #: heading and leading line that the passage stands below
    head: str = ""
    #: the request, question or failure that it answers, as it stands
    answers: str = ""
    #: files that the agent changed between what it answers and the passage
    files: tuple[str, ...] = ()
    #: positions of what bears it out: the failing call, the changes, the call that passed
    proof: tuple[int, ...] = ()
    #: everything that changed between a failure and its cure, each as a few words
    changes: tuple[str, ...] = ()
    #: what the agent said right after a failure, as it stands
    said: str = ""
    #: how often the same failure came
    times: int = 1
    #: words of the message that show it; empty: the first line of the text
    quote: str = ""

    @property
    def shown_by(self) -> str:
        """Words that stand in the message at `position`."""
        return self.quote or next((line.strip() for line in self.text.splitlines() if line.strip()), "")
