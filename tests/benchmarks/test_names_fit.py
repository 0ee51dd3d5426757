"""The scripts that fit the network of names: they compute what the shipped network does, and learn."""

import gzip
import importlib
import json
import random
import sys

import numpy as np
import pytest

from ultron_core.redaction.names.network import default_network, tokens

SENTENCES = [
    "Please ask Anna-Marie O'Brien about order 12.",
    "thanks petra\n",
    "The build of 2019 failed again.",
]


@pytest.fixture
def part():
    """A module of benchmarks/training/names."""
    return lambda name: importlib.import_module(f"training.names.{name}")


@pytest.fixture
def taught(part):
    """Sentences with a teacher's answer for each word: sure of one name, of two words."""

    def answer(text, *names):
        pieces = [(start, end, float(word in names)) for start, end, word in tokens(text)]
        return part("examples").taught(part("teacher").Answer("talk", text, tuple(pieces)))

    return [
        answer("I saw Petra Lang at the station.", "Petra", "Lang"),
        answer("the report of Omar is late", "Omar"),
        answer("Restart the server and read the log."),
    ]


@pytest.fixture
def names(part):
    return {"xx": part("lists").Names(("Ada", "Emil"), ("Moreau", "Novak"))}


def test_the_shipped_weights_give_the_same_answers_here_and_in_the_package(part, tmp_path):
    student, network = part("student"), default_network()
    with np.load(part("fit").OUT) as stored:
        weights = {name: stored[name].astype(np.float32) for name in stored.files}
    words = [[word for _, _, word in tokens(text)] for text in SENTENCES]
    here = student.likely(weights, student.batch_of(words))
    there = np.concatenate(network._likely(words))
    assert np.allclose(here, there, atol=1e-5)
    assert there.max() > 0.5 > there.min()
    student.write(weights, tmp_path / "again.npz")
    with np.load(tmp_path / "again.npz") as again, np.load(part("fit").OUT) as stored:
        assert {name: again[name].dtype for name in again} == {name: stored[name].dtype for name in stored}
        assert all(np.array_equal(again[name], stored[name]) for name in stored)


def test_a_step_lowers_the_loss(part, taught):
    student, fit = part("student"), part("fit")
    examples = [sentence.example for sentence in taught]
    weights, given = student.new_weights(), fit.tensors(examples)
    adam, drops = student.Adam(weights), np.random.default_rng(1)
    losses = [student.backward(weights, *given, None)[0]]
    for _ in range(8):
        fit.step(weights, adam, examples, fit.RATE, drops)
        losses.append(student.backward(weights, *given, None)[0])
    assert losses[1] < losses[0]
    assert losses[-1] < 0.8 * losses[0]


def test_the_gradient_is_that_of_the_loss(part, taught):
    student, fit = part("student"), part("fit")
    batch, answers, trust = fit.tensors([sentence.example for sentence in taught])
    weights = {name: values.astype(np.float64) for name, values in student.new_weights().items()}
    _, layers, tables = student.backward(weights, batch, answers, trust, None)
    for name, place in (("near", (400, 7)), ("next", (200, 5)), ("last", (3, 0)), ("last_bias", (0,))):
        assert layers[name][place] == pytest.approx(slope(part, weights, name, place, taught), abs=1e-5)
    for name, (rows, gradients) in tables.items():
        found = gradients[rows == rows[0], 4].sum()
        assert found == pytest.approx(slope(part, weights, name, (rows[0], 4), taught), abs=1e-5)


def slope(part, weights, name, place, taught, by=1e-3):
    """The loss to both sides of one weight."""
    given, losses, old = part("fit").tensors([t.example for t in taught]), [], weights[name][place]
    for value in (old + by, old - by):
        weights[name][place] = value
        losses.append(part("student").backward(weights, *given, None)[0])
    weights[name][place] = old
    return (losses[0] - losses[1]) / (2 * by)


def test_sure_names_are_replaced_and_the_answers_follow(part, taught, names):
    assert [sentence.names for sentence in taught] == [[(2, 4)], [(3, 4)], []]
    maker = part("examples").Maker(names, taught[2:], random.Random(4))
    drawn = [maker.of_sentence(taught[0]) for _ in range(60)]
    assert {"ada", "Emil", "MOREAU", "Petra"} <= {word for example in drawn for word in example.words}
    for example in [*drawn, *(maker.of_frame() for _ in range(300))]:
        assert len(example.words) == len(example.answers) == len(example.trust)
    told = {w.lower() for e in drawn for w, name in zip(e.words, e.answers, strict=True) if not name}
    assert told.isdisjoint({"ada", "emil", "moreau", "novak", "petra", "lang"})


def test_frames_say_where_their_names_are(part):
    frames = part("frames")
    words = {"n": "7", "g": "Ada", "m": "B", "s": "Cole", "f2": "Emil Novak"}
    text, spans = frames.filled('{n} {g} {m}. {s}, {"name": "{f2}"}', words.get)
    assert text == '7 Ada B. Cole, {"name": "Emil Novak"}'
    assert [text[start:end] for start, end in spans] == ["Ada B. Cole", "Emil Novak"]
    measured = {frame for _, frame in frames.measured_frames()}
    assert len(measured) == 87
    assert measured.isdisjoint(frames.fitted_frames())


def test_sentences_are_of_the_development_half_and_english(part, tmp_path):
    (tmp_path / "pairs").mkdir()
    with gzip.open(tmp_path / "pairs" / "stsb_en.jsonl.gz", "wt", encoding="utf-8") as out:
        out.write(
            json.dumps({"sentence1": "Petra waits in Rome.", "sentence2": "王小明在北京等你呢。"}) + "\n"
        )
    folder = tmp_path / "sessions" / "talk"
    folder.mkdir(parents=True)
    labels = [{"file": f"{number}.jsonl", "task": str(number)} for number in range(8)]
    (folder.parent / "talk.labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    for number in range(8):
        said = {"role": "user", "content": f"Please call Omar about invoice {number}."}
        (folder / f"{number}.jsonl").write_text(json.dumps(said) + "\n")
    reserve = importlib.import_module("inputs.reserve")
    ours = {str(number) for number in range(8) if not reserve.in_reserve("talk", str(number))}
    found = part("sentences").collected(tmp_path)
    assert ("pairs/stsb_en", "Petra waits in Rome.") in found
    assert {text[-2] for source, text in found if source == "talk"} == ours
    assert 0 < len(ours) < 8
    assert len(found) == len(ours) + 1


def test_what_is_missing_is_named(part, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(SystemExit, match="pip install onnxruntime tokenizers"):
        part("teacher").Teacher(tmp_path)
    monkeypatch.setitem(sys.modules, "faker", None)
    with pytest.raises(SystemExit, match="pip install faker"):
        part("lists").fitted_names()


@pytest.mark.parametrize("script", ["fit", "evaluate"])
def test_the_lockbox_is_refused(part, monkeypatch, tmp_path, script):
    needed = ["--teacher", str(tmp_path)] if script == "fit" else []
    monkeypatch.setattr(sys, "argv", [script, "--data", str(tmp_path / "lockbox"), *needed])
    with pytest.raises(SystemExit, match="for benchmarks only"):
        part(script).main()
