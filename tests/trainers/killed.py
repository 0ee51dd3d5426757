"""One training that is killed at a chosen place: python -m tests.trainers.killed PLACE DATASET BASE"""

import os
import signal
import sys
from pathlib import Path

from transformers import TrainerCallback

from ultron_core.client import Ultron
from ultron_core.steps.training import run as training
from ultron_core.steps.training.waiting import recipe_of
from ultron_core.training import torch_learner


def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def main(place, dataset, base):
    torch_learner._ANSWER_TOKENS = 8
    if place == "training":
        # the second step has begun: there are gradients, and no adapter yet
        killer = type("Killer", (TrainerCallback,), {"on_step_end": die})
        torch_learner._teller = lambda *_: killer()
    elif place == "publishing":
        training.publish = die
    else:
        assert place == "registering"
        training.register = die
    with Ultron() as ultron:
        training.train(ultron.runtime, Path(dataset), Path(base), recipe_of(ultron.runtime))


if __name__ == "__main__":
    main(*sys.argv[1:])
