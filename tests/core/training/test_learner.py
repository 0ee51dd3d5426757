"""Without the packages of the extra nothing is loaded, and the error says what to install."""

import subprocess
import sys

import pytest

from ultron_core.errors import InputError
from ultron_core.training import learner
from ultron_core.training.learner import base_hash, check_installed


def test_what_is_missing_is_named_with_the_extra(monkeypatch):
    monkeypatch.setattr(learner, "find_spec", lambda name: None if name == "trl" else object())
    with pytest.raises(InputError, match=r"needs trl: install `ultron-memory\[train\]`"):
        check_installed()


def test_nothing_of_it_is_imported_before_a_model_is_loaded():
    code = "import sys, ultron_core.steps.training.run, ultron_core.cli.commands.datasets.train; "
    code += "print(*{'torch', 'transformers', 'trl', 'peft', 'datasets'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_base_is_known_by_its_weights_and_words(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"1")
    first = base_hash(tmp_path)
    (tmp_path / "README.md").write_text("of no account")
    assert base_hash(tmp_path) == first
    (tmp_path / "tokenizer.json").write_text("{}")
    assert base_hash(tmp_path) != first


def test_a_folder_without_weights_is_no_base(tmp_path):
    with pytest.raises(InputError, match="no model"):
        base_hash(tmp_path)
