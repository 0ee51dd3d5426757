"""What is imported before it is needed: an offline search waits for no model client, recogniser or pipeline."""

import subprocess
import sys

import pytest

#: package -> who needs it
LATER = {
    "openai": "a model or a remote embedder",
    "httpx2": "a model",
    "spacy": "the recogniser of names",
    "presidio_analyzer": "the recogniser of names",
    "sklearn": "nobody at run time",
    "dagster": "ultron_pipelines",
    "matplotlib": "plots",
    "jieba": "Chinese text",
}


@pytest.mark.parametrize("module", ["ultron_core.client", "ultron_core.cli.main"])
def test_the_client_imports_nothing_it_may_not_need(module):
    code = f"import sys, {module}; print(*sorted(set({sorted(LATER)!r}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
