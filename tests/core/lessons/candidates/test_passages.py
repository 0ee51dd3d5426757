"""How a message's prose falls into passages."""

from ultron_core.lessons.candidates.candidate import LONGEST
from ultron_core.lessons.candidates.passages import joined_of, passages_of

CLOSING = """Done. The build works again.

## Cause

The lock file was written by another version of the package manager,
so the build took the wrong tree.

What I changed:
- `package.json` pins the version of the manager to 9.1.0
- the cache of the runner is keyed by that version, too

```bash
pnpm install --frozen-lockfile
```

| file | change |
|---|---|
| package.json | pinned |
"""


def texts(content):
    return [passage.text for passage in passages_of(content)]


def test_a_paragraph_stays_whole_and_an_item_stands_alone():
    assert texts(CLOSING) == [
        "Done. The build works again.",
        "The lock file was written by another version of the package manager,\nso the build took the wrong tree.",
        "- `package.json` pins the version of the manager to 9.1.0",
        "- the cache of the runner is keyed by that version, too",
    ]


def test_an_item_knows_its_head():
    heads = [passage.head for passage in passages_of(CLOSING)]
    assert heads == ["", "Cause", "Cause / What I changed", "Cause / What I changed"]


def test_each_passage_stands_in_the_message_as_it_is():
    for content in (
        CLOSING,
        "x" * 900,
        f"{'A sentence that goes on. ' * 40}",
        "一句话就够了，端口是五四三二。" * 60,
    ):
        for passage in passages_of(content):
            assert content[passage.begin : passage.begin + len(passage.text)] == passage.text
            assert len(passage.text) <= LONGEST


def test_a_long_paragraph_is_cut_between_sentences():
    one = "The server listens on port 8080 of every address that the machine has. "
    found = texts(one * 12)
    assert len(found) == 4
    assert all(text.startswith("The server") and text.endswith("has.") for text in found)


def test_code_tables_and_short_words_are_no_passages():
    assert texts("```\nThe whole answer is code and nothing else.\n```\n| a | b |\nok\n") == []
    assert texts("~~~~\nThis block is never closed, so all of it is code.\n```\nStill code in here.\n") == []


FIXED = """Found it.

## Root cause

The port was taken by a container.

## Fix

- stop the container
  - before the server starts
- wait for the port

```bash
docker stop db
```

- and a last item behind the code
"""


def joined(content, **how):
    return [(passage.head, passage.text) for passage in joined_of(content, **how)]


def test_an_item_is_joined_with_its_sub_items_and_with_its_section():
    assert joined(FIXED, sections=False) == [
        ("Fix", "- stop the container\n  - before the server starts"),
        ("Fix", "- stop the container\n  - before the server starts\n- wait for the port"),
    ]


def test_whole_sections_are_joined_with_their_headings():
    short = FIXED[: FIXED.index("```")]
    assert ("", short.strip()) in joined(short)
    assert not [text for _, text in joined(FIXED) if "```" in text]


def test_what_is_longer_than_a_candidate_is_cut_between_blocks():
    items = "\n".join(f"- {name} {'word ' * 30}end" for name in ("one", "two", "three", "four", "five"))
    found = [text for _, text in joined(items)]
    assert [text.split()[1] for text in found] == ["one", "three"]
    assert all(text.endswith("end") and len(text) <= LONGEST for text in found)


def test_what_stands_together_begins_with_the_line_that_leads_to_a_part_of_it():
    said = "## Notes\n\nIt needs two things:\n- a port\n\nThat was all of it.\n"
    assert joined(said) == [("Notes", "It needs two things:\n- a port\n\nThat was all of it.")]
