"""Find experiments by name. The table says which module declares each; a module is imported when it is first needed."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from antecede.core.errors import Misuse
from antecede.lab.experiment import Experiment

PLACES = {
    "prs-fig4": "prs_fig4.FIG4",
    "prs-fig5": "prs_intervals.FIG5",
    "prs-fig6": "prs_intervals.FIG6",
    "prs-fig7": "prs_intervals.FIG7",
    "prs-barriers": "prs_barriers.BARRIERS",
    "av-table1": "av_table1.TABLE1",
    "av-fig1": "av_fig1.FIG1",
    "av-fig2": "av_fig2.FIG2",
    "av-factors": "av_factors.FACTORS",
    "ks-growth": "growth.GROWTH",
    "ks-cost": "ks_cost.COST",
    "mr-tradeoff": "tradeoff.TRADEOFF",
    "msv-topologies": "topologies.TOPOLOGIES",
    "sps-tradeoff": "sps_tradeoff.SPS",
    "errata": "errata.ERRATA",
    "mobile": "mobile.MOBILE",
}
"""The module of each experiment and its name in that module, in the order of `lab list`."""


class UnknownExperiment(Misuse):
    """An error for a name that no experiment has."""


def experiment_names() -> list[str]:
    """Return the names of all experiments, in the order of `lab list`."""
    return list(PLACES)


def find_experiment(name: str) -> Experiment:
    """Return the experiment of this name, or raise `UnknownExperiment`."""
    if name not in PLACES:
        near = get_close_matches(name, PLACES, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(PLACES)}"
        raise UnknownExperiment(f"there is no experiment {name!r}; {hint}")
    module, _, attribute = PLACES[name].partition(".")
    found: Experiment = getattr(import_module(f"antecede.lab.experiments.{module}"), attribute)
    return found
