"""A dataset as a folder: Parquet, JSONL flavours, manifest and card; checking, comparing and explaining one."""
