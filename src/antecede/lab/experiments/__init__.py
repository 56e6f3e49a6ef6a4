"""Find experiments by name. The table says which module declares each; a module is imported when it is first needed."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from types import ModuleType

from antecede.core.errors import Misuse
from antecede.lab.experiment import Experiment

MODULES = {
    "prs-fig4": "prs_fig4",
    "prs-fig5": "prs_fig5",
    "prs-fig6": "prs_fig6",
    "prs-fig7": "prs_fig7",
    "av-table1": "av_table1",
    "av-fig1": "av_fig1",
    "av-fig2": "av_fig2",
    "ks-growth": "growth",
    "mr-tradeoff": "tradeoff",
    "msv-topologies": "topologies",
    "errata": "errata",
    "mobile": "mobile",
}
"""The module of each experiment, in the order of `lab list`. A module lists its experiments in `EXPERIMENTS`."""


class UnknownExperiment(Misuse):
    """An error for a name that no experiment has."""


def experiment_names() -> list[str]:
    """Return the names of all experiments, in the order of `lab list`."""
    return list(MODULES)


def find_experiment(name: str) -> Experiment:
    """Return the experiment of this name, or raise `UnknownExperiment`."""
    if name not in MODULES:
        near = get_close_matches(name, MODULES, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(MODULES)}"
        raise UnknownExperiment(f"there is no experiment {name!r}; {hint}")
    found: dict[str, Experiment] = {one.name: one for one in _module(name).EXPERIMENTS}
    return found[name]


def _module(name: str) -> ModuleType:
    return import_module(f"antecede.lab.experiments.{MODULES[name]}")
