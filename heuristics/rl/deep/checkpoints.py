"""The state of learning on disk, so complete that going on equals not having stopped."""

from __future__ import annotations

import os
import pickle
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.vec_env import DummyVecEnv

from heuristics.rl.deep.algorithms import KINDS
from odt.errors import ProblemError

_MODEL, _BUFFER, _REST = "model.zip", "buffer.pkl", "rest.pkl"


def save_checkpoint(folder: Path, model: Any, environment: Any, history: list[Any]) -> None:
    """Write model, replay buffer, environment, random states and history to a folder.

    The folder is written beside and then renamed, so it is never half-written.

    Parameters
    ----------
    folder : Path
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
        "about": _about(type(model).__name__, environment),
    }
    (fresh / _REST).write_bytes(pickle.dumps(rest))
    if folder.exists():
        shutil.rmtree(folder)
    fresh.rename(folder)


def load_checkpoint(kind: str, folder: Path, environment: Any) -> tuple[Any, list[Any]]:
    """Read a checkpoint; ``environment`` gets the state it had.

    Parameters
    ----------
    kind : str
    folder : Path
    environment : IBMDPEnv or OIBMDPEnv
        Made as the one of the checkpoint was.

    Returns
    -------
    model : BaseAlgorithm
    history : list of Evaluation

    Raises
    ------
    ProblemError
        If the checkpoint belongs to another learner, dataset or price.
    """
    algorithm = KINDS[kind].algorithm
    if not (folder / _REST).is_file():
        raise ProblemError(f"The folder {folder} exists but holds no checkpoint. Choose another.")
    rest = pickle.loads((folder / _REST).read_bytes())
    about = _about(algorithm.__name__, environment)
    if rest["about"] != about:
        raise ProblemError(
            f"The checkpoint {folder} is of another training: {rest['about']} instead of {about}. "
            "Choose another folder."
        )
    environment.__dict__.update(rest["environment"].__dict__)
    vector = DummyVecEnv([lambda: environment])
    model = algorithm.load(folder / _MODEL, env=vector, device="cpu", force_reset=False)
    model.action_space = environment.action_space  # loading has seeded another copy
    if (folder / _BUFFER).exists():
        model.load_replay_buffer(folder / _BUFFER)
    random.setstate(rest["random"])
    np.random.set_state(rest["numpy"])  # noqa: NPY002
    torch.set_rng_state(rest["torch"])
    return model, rest["history"]


def _about(algorithm: str, environment: Any) -> dict[str, Any]:
    data = environment.dataset
    return {
        "algorithm": algorithm,
        "examples": data.n_samples,
        "features": data.feature_names,
        "zeta": environment.zeta,
        "p": environment.p,
        "max_depth": environment.max_depth,
    }
