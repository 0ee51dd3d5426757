"""Near-duplicates: what is joined is truly alike, what is truly alike is found."""

import numpy as np
import pytest

from ultron_core.sft.curate.dedup import band_keys, bands_for, near_duplicates
from ultron_core.sft.curate.shingles import compared_text, jaccard, shingles

THRESHOLD = 0.7


def pair(rng, similarity):
    """Two sets of this Jaccard similarity."""
    size = int(rng.integers(50, 1500))
    both = round(2 * size * similarity / (1 + similarity))
    values = rng.integers(0, 2**63, size=2 * size - both, dtype=np.uint64)
    return np.unique(values[:size]), np.unique(values[size - both :])


def test_of_four_thousand_pairs_none_below_is_joined_and_nearly_all_above_are():
    rng = np.random.default_rng(7)
    pairs = [pair(rng, (n + 0.5) / 4000) for n in range(4000)]
    keys = [band_keys([one[side] for one in pairs], THRESHOLD) for side in (0, 1)]
    above = found = 0
    for n, sets in enumerate(pairs):
        true = jaccard(*sets)
        ((_, _), (other, _)) = near_duplicates(
            np.array([keys[0][n], keys[1][n]]), lambda i, s=sets: s[i], THRESHOLD
        )
        assert other < 0 or true >= THRESHOLD
        if true >= THRESHOLD + 0.05:
            above += 1
            found += other == 0
    assert above > 900 and found / above >= 0.99


@pytest.mark.parametrize("threshold", [0.5, 0.7, 0.8, 0.9])
def test_bands_make_nearly_every_pair_at_the_threshold_a_candidate(threshold):
    bands, rows = bands_for(threshold)
    assert 1 - (1 - threshold**rows) ** bands >= 0.995


def test_a_row_is_compared_with_a_kept_row_not_along_a_chain():
    """b resembles a, c resembles b but not a: b goes, c stays."""
    values = np.arange(1000, dtype=np.uint64)
    a, b, c = values[:800], values[100:900], values[200:1000]
    assert jaccard(a, b) > THRESHOLD < jaccard(b, c) and jaccard(a, c) < THRESHOLD
    sets = [a, b, c]
    found = near_duplicates(band_keys(sets, THRESHOLD), sets.__getitem__, THRESHOLD)
    assert [other for other, _ in found] == [-1, 0, -1]
    assert found[1][1] == pytest.approx(jaccard(a, b))


def test_chinese_is_compared_by_characters():
    one = "请帮我把这份合同的第三条改成每月付款，并且保留原来的编号和格式不变，谢谢你的帮助。"
    other = one.replace("每月", "每年")
    apart = "今天的天气怎么样？我想知道明天会不会下雨，如果下雨我就不出门了，在家里看书。"
    assert jaccard(shingles(one), shingles(other)) > 0.6
    assert jaccard(shingles(one), shingles(apart)) == 0.0
    assert len(shingles("改成每月付")) == 1 and len(shingles("改成每月付款")) == 2


def test_tool_output_says_nothing_about_the_task():
    call = {"id": "1", "function": {"name": "read", "arguments": {"path": "a.py"}}}
    row = [
        {"role": "system", "content": "secret prompt"},
        {"role": "user", "content": "Read IT"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "copied file"},
    ]
    assert compared_text(row) == 'read it  read {"path":"a.py"}'


def test_no_rows_and_a_single_one():
    assert near_duplicates(band_keys([], THRESHOLD), lambda i: None, THRESHOLD) == []
    one = shingles("just a few words of text")
    assert near_duplicates(band_keys([one], THRESHOLD), lambda i: one, THRESHOLD) == [(-1, 0.0)]
