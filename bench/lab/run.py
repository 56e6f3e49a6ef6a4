"""The simulator beside SimPy: the same world, `none` among 30 processes, deliveries per second of processor time. And
the lab on two local cores beside one.

Each is run several times in turn, and the best of each counts: other work on the machine only ever slows one down.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from antecede.sim import Parameters, simulate
from bench import table
from bench.lab import cores

N, DELIVERIES, PASSES, TARGET = 30, 100_000, 5, 2.0
ALGORITHMS = ("prs", "ks", "rst")
WORLD = Parameters(algorithm="none", processes=N, messages=None, deliveries=DELIVERIES)


def main() -> None:
    results: dict[str, object] = {"simpy": _beside_simpy(), "algorithms": _algorithms(), "cores": cores.beside()}
    print(f"\nkept in {table.keep('lab', results)}")


def _beside_simpy() -> dict[str, object] | None:
    try:
        import simpy

        from bench.lab.simpy_world import SimpyWorld
    except ModuleNotFoundError:
        print("\nSimPy is not installed, so there is nothing to compare with: pip install simpy")
        return None
    contenders: dict[str, Callable[[], int]] = {
        "antecede": lambda: simulate(WORLD).deliveries,
        "SimPy": lambda: SimpyWorld(N, DELIVERIES, 1).run(),
        "SimPy, no algorithm": lambda: SimpyWorld(N, DELIVERIES, 1, bare=True).run(),
    }
    rates = dict.fromkeys(contenders, 0.0)
    for _ in range(PASSES):
        rates = {name: max(rates[name], _rate(run)) for name, run in contenders.items()}
    ratios = {name: rates["antecede"] / rate for name, rate in rates.items()}
    table.show(
        f"none, {N} processes, {DELIVERIES:,} deliveries, beside SimPy {simpy.__version__} (target: {TARGET:g} times)",
        ("world", "deliveries/s", "antecede is so many times as fast"),
        [(name, rate, ratios[name]) for name, rate in rates.items()],
    )
    return {"rates": rates, "ratios": ratios, "target": TARGET, "simpy": simpy.__version__}


def _rate(run: Callable[[], int]) -> float:
    start = process_time()
    deliveries = run()
    return deliveries / (process_time() - start)


def _algorithms() -> dict[str, float]:
    """What a point of the papers' experiments costs."""
    rates = {}
    for name in ALGORITHMS:
        parameters = Parameters(algorithm=name, processes=N, messages=None, warmup=1_000, deliveries=9_000)
        start = process_time()
        rates[name] = simulate(parameters).deliveries / (process_time() - start)
    table.show(f"Simulated with stamps weighed, {N} processes", ("algorithm", "deliveries/s"), list(rates.items()))
    return rates
