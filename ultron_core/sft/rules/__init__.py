"""The rules of docs/sft.md, checked on rows as they were written; `dataset` is the way in."""
