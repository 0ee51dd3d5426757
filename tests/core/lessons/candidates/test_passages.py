"""How a message's prose falls into passages."""

from ultron_core.lessons.candidates.candidate import LONGEST
from ultron_core.lessons.candidates.passages import passages_of

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
