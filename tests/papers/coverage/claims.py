"""The claims about measurements that items of the papers rest on, by the names that the experiments give them."""

from __future__ import annotations

MEASURED: dict[str, tuple[str, ...]] = {
    "0.30": ("prs-barriers-integers",),
    "0.32": ("prs-barriers-persists-0.5", "prs-barriers-persists-10", "prs-barriers-none-0.5", "prs-barriers-none-10"),
    "0.41": ("prs-fig7-dests",),
    "0.53": (
        "av-factors-air-bytes-prs-mobile",
        "av-factors-host-bytes-prs-mobile",
        "av-factors-host-steps-prs-mobile",
        "av-factors-energy-prs-mobile",
    ),
    "1.11": (
        "av-factors-host-steps-av1",
        "av-factors-host-steps-av2",
        "av-factors-host-steps-rst",
        "av-factors-air-bytes-av1",
        "av-factors-air-bytes-av2",
        "av-factors-scalable-av1",
        "av-factors-integers-av2",
        "av-factors-away-av1",
        "av-factors-away-av2",
    ),
    "1.17": ("av-table1-integers-av1-hosts", "av-table1-handoff-messages-av1-hosts"),
    "1.25": ("av-table1-integers-av2-stations", "av-table1-handoff-messages-av2-stations"),
    "1.26": ("av-table1-storage-bytes-less", "av-table1-load-percent-less"),
    "1.32": (
        "av-table1-integers-av1-hosts",
        "av-table1-integers-av2-stations",
        "av-table1-integers-av3-stations",
        "av-table1-integers-av3-k",
        "av-table1-handoff-messages-av1-hosts",
        "av-table1-handoff-messages-av2-stations",
        "av-table1-handoff-messages-av3-stations",
        "av-table1-handoff-messages-av3-k",
    ),
    "2.33": ("ks-growth-average",),
    "2.36": ("ks-cost-receive", "ks-cost-send", "ks-cost-multicast"),
    "2.38": ("ks-cost-family",),
    "3.13": ("mr-tradeoff-synchronous",),
    "3.14": ("mr-tradeoff-timers",),
    "3.23": ("mr-tradeoff-waits",),
    "3.25": ("mr-tradeoff-memory",),
    "3.26": ("mr-tradeoff-one-integer", "mr-tradeoff-all-groups"),
    "3.27": ("mr-tradeoff-stamp", "mr-tradeoff-waits"),
    "4.29": ("msv-dense-2", "msv-dense-8"),
}
"""Items that work because they were measured, and the claims that have to hold for that."""
SETTINGS_ONLY = ("0.13", "0.22", "0.27", "1.35", "1.36")
"""Items that name an experiment for what it simulates, and not for what it finds."""
