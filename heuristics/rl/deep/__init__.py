"""Environments and deep learners; they need the extra ``rl``."""

from odt.errors import MissingDependencyError

try:
    import gymnasium  # noqa: F401
    import stable_baselines3  # noqa: F401
    import torch  # noqa: F401
except ImportError as missing:
    raise MissingDependencyError(
        f'heuristics.rl.deep needs {missing.name}, which is not installed: pip install "odt[rl]".'
    ) from missing

from heuristics.rl.deep.environments import IBMDPEnv, OIBMDPEnv
from heuristics.rl.deep.training import (
    Learned,
    Training,
    custard_dqn,
    custard_ppo,
    dqndt,
    learn,
)

__all__ = [
    "IBMDPEnv",
    "Learned",
    "OIBMDPEnv",
    "Training",
    "custard_dqn",
    "custard_ppo",
    "dqndt",
    "learn",
]
