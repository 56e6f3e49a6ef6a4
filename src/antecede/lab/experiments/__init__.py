"""Find experiments by name. The table says which module declares each; a module is imported when it is first needed.

The modules, by paper:

prs            what the figures of paper 000 share
prs_fig4       000, Figure 4: the barrier over propagation time
prs_intervals  000, Figures 5 to 7: the barrier over inter-message time
prs_barriers   000 §7: how barriers are encoded, and what persists in them
prs_readings   other readings of paper 000, which might explain its figures
av             what the table and the figures of paper 001 share
av_table1      001, Table 1: header, messages of a hand-off, inhibition
av_fig1        001, Figure 1: message delay of Algorithms 1 and 2
av_fig2        001, Figure 2: message delay of Algorithm 3
av_factors     001 and 000: factors that matter to mobile hosts, beyond Table 1
growth         002: how the stamps of all algorithms grow with the number of processes
ks_cost        002: the worst case of `ks`, and the time of a step
tradeoff       003: small stamps beside early delivery
topologies     004: how few clock entries known topologies need
sps_tradeoff   ours: waiting at the sender beside stamps
errata         how often the printed forms fail, and that ours do not
errata_forms   the forms that `errata` measures
mobile         ours: `roam` beside the published protocols
"""

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
