"""The state of learning on disk, so complete that going on equals not having stopped."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.vec_env import DummyVecEnv

from heuristics.rl.deep.algorithms import KINDS
from odt.errors import ProblemError

_MODEL, _BUFFER, _REST = "model.zip", "buffer.pkl", "rest.pkl"


def save_checkpoint(
    folder: Path, about: Mapping[str, Any], model: Any, environment: Any, history: list[Any]
) -> None:
    """Write model, replay buffer, environment, random states and history to a folder.

    The folder is written beside and then renamed, so it is never half-written.

    Parameters
    ----------
    folder : Path
    about : mapping
        What the training is; only one that is alike may go on from here.
    model : BaseAlgorithm
    environment : IBMDPEnv or OIBMDPEnv
    history : list of Evaluation
    """
    fresh = folder.with_name(f"{folder.name}.{os.getpid()}.new")
    fresh.mkdir(parents=True)
    model.save(fresh / _MODEL)
    if getattr(model, "replay_buffer", None) is not None:
        model.save_replay_buffer(fresh / _BUFFER)
    rest = {
        "environment": environment,
        "history": history,
        "random": random.getstate(),
        "numpy": np.random.get_state(),  # noqa: NPY002 - stable-baselines3 draws from it
        "torch": torch.get_rng_state(),
        "about": dict(about),
    }
    (fresh / _REST).write_bytes(pickle.dumps(rest))
    before = folder.with_name(f"{folder.name}.{os.getpid()}.old")
    if folder.exists():
        folder.rename(before)
    fresh.rename(folder)
    shutil.rmtree(before, ignore_errors=True)


def load_checkpoint(
    folder: Path, about: Mapping[str, Any], environment: Any
) -> tuple[Any, list[Any]]:
    """Read a checkpoint; ``environment`` gets the state it had.

    Parameters
    ----------
    folder : Path
    about : mapping
        What this training is; ``kind`` is the learner.
    environment : IBMDPEnv or OIBMDPEnv
        Made as the one of the checkpoint was.

    Returns
    -------
    model : BaseAlgorithm
    history : list of Evaluation

    Raises
    ------
    ProblemError
        If there is none, or it is of another training.
    """
    if not (folder / _REST).is_file():
        raise ProblemError(f"The folder {folder} exists but holds no checkpoint. Choose another.")
    rest = pickle.loads((folder / _REST).read_bytes())
    other = [
        f"{name} {rest['about'][name]}" for name in about if rest["about"][name] != about[name]
    ]
    if other:
        raise ProblemError(
            f"The checkpoint {folder} is of another training: its {', its '.join(other)}. Choose "
            "another folder."
        )
    environment.__dict__.update(rest["environment"].__dict__)
    vector = DummyVecEnv([lambda: environment])
    model = KINDS[about["kind"]].algorithm.load(
        folder / _MODEL, env=vector, device="cpu", force_reset=False
    )
    model.action_space = environment.action_space  # loading has seeded another copy
    if (folder / _BUFFER).exists():
        model.load_replay_buffer(folder / _BUFFER)
    random.setstate(rest["random"])
    np.random.set_state(rest["numpy"])  # noqa: NPY002
    torch.set_rng_state(rest["torch"])
    return model, rest["history"]
