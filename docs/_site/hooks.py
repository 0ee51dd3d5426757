"""What the site takes from outside docs/: the README as its first page, and pages that others link to."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
#: page of the site, and the file it is
TAKEN = {
    "index.md": "README.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "benchmarks/gold/README.md": "benchmarks/gold/README.md",
    "benchmarks/gold/turns_guide.md": "benchmarks/gold/turns_guide.md",
    "benchmarks/gold/boundaries_guide.md": "benchmarks/gold/boundaries_guide.md",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for page, source in TAKEN.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links as they are in the clone, made to fit the site, whose root is docs/."""
    if page.file.src_uri in ("index.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        return re.sub(r"\]\(docs/", "](", markdown).replace("](README.md)", "](index.md)")
    if page.file.src_uri.startswith("benchmarks/"):
        return markdown.replace("](../../docs/", "](../../")
    return re.sub(r"\]\(\.\./(?=CONTRIBUTING|CHANGELOG|benchmarks)", "](", markdown)
