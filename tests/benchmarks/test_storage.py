"""What takes the room, on three files: the tables that hold rows, and their sum beside the raw bytes."""

import importlib
import json


def test_each_table_with_rows_is_a_line_and_all_of_them_the_last(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("sys.argv", ["storage.py", "--files", "3", "--home", str(tmp_path)])
    assert importlib.import_module("storage").main() == 0
    told = {line["set"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    whole = told.pop("drop:all")
    assert told["drop:raw_blobs"]["rows"] == told["drop:sessions"]["rows"] == whole["n"] == 3
    assert told["drop:message_windows"]["rows"] >= 3 and whole["vectors"] > 0
    assert all(line["total"] >= line["heap"] + line["toast"] + line["indexes"] for line in told.values())
    assert whole["own"] > sum(line["total"] for line in told.values()) - whole["vectors"]
    assert whole["own_times_raw"] == round(whole["own"] / whole["raw"], 2) > 1 and whole["empty"] > 0
