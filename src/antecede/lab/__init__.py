"""The papers' experiments and ours, declared as data, run on Spark, drawn as figures, and held to what was claimed.

How an experiment is declared. Write a module in `antecede.lab.experiments` with one `Experiment` for each, and add a
line for each to the table in `antecede.lab.experiments`. An experiment says

* `grid`: its points, each a flat dictionary of numbers and texts; `quick`: a smaller grid for `--quick`; and the seeds;
* `measure(point, seed)`: what to do for one of them. It returns numbers by name, and must depend on its arguments
  alone, for it runs wherever Spark puts it. Wall-clock times may be among the numbers if `timed` names them: they are
  kept in a file of their own, because they are never the same twice;
* `charts`: what is drawn: which number over which parameter, one line for each value of other parameters, and what the
  paper states (`Stated`);
* `claims`: what the paper says, or we do (`ours`), where, and a function from the results to a `Finding`.
  `antecede.lab.claims` has functions that make such functions (`within`, `at_most`, `trend`). If the run is not what
  the paper describes, `outside` says why, and the claim counts for neither side.

`antecede.lab.run.run` makes a DataFrame of the points and seeds, has every row measured by a Spark task of its own, and
keeps what is done as it goes. `antecede.lab.report` writes results, figure and claims; `antecede.lab.pages` makes pages
of them.
"""

from antecede.lab.experiment import Chart, Claim, Experiment, Finding, Outcome, Stated
from antecede.lab.results import Results

__all__ = ["Chart", "Claim", "Experiment", "Finding", "Outcome", "Results", "Stated"]
