"""The offline embedder: the same words give the same vector, near meanings are near."""

import numpy as np
import pytest

from ultron_core.embeddings.local import local_embedder


def test_near_meanings_are_near_in_and_across_languages():
    rows = local_embedder().embed(
        ["The database refused the connection.", "数据库拒绝了连接。", "I had pasta for lunch."]
    )
    assert rows.shape == (3, 512)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0] * 3, abs=1e-5)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_a_vector_does_not_depend_on_the_batch_or_its_order():
    embed = local_embedder().embed
    texts = ["short", "a much longer text about port 5432 of the server", ""]
    alone = np.vstack([embed([text]) for text in texts])
    assert embed(texts) == pytest.approx(alone, abs=1e-5)
    assert embed(texts[::-1])[::-1] == pytest.approx(alone, abs=1e-5)


def test_no_text_gives_no_row():
    assert local_embedder().embed([]).shape == (0, 512)
