"""The lab runs the experiments of the papers and our own on Spark, draws figures, and compares results with claims.

To declare an experiment, write a module in `antecede.lab.experiments` with one `Experiment` for each, and add a line
for each to the table in `antecede.lab.experiments`. An experiment has these parts:

* `grid`: its points, each a flat dictionary of numbers and texts; `quick`: a smaller grid for `--quick`; and the seeds;
* `measure(point, seed)`: a function that measures one point with one seed. It returns numbers by name, and must depend
  on its arguments alone, because it runs wherever Spark puts it. Wall-clock times may be among the numbers if `timed`
  names them: they are stored in a file of their own, because they are never the same twice;
* `charts`: what is drawn: which number over which parameter, one line for each value of other parameters, and what the
  paper states (`PaperValue`);
* `claims`: what the paper says, or we do (`ours`), in which section, and a function from the results to a `Finding`.
  `antecede.lab.claims` has functions that make such functions (`within`, `at_most`, `trend`). A run must be what the
  paper describes: its parameters, after its warm-up.

`antecede.lab.run.run` makes a DataFrame of the points and seeds, has every row measured by a Spark task, and stores
each part of the results as soon as it is done. `antecede.lab.report` writes results, figure and claims;
`antecede.lab.pages` makes pages of them.
"""

from antecede.lab.experiment import Chart, Claim, Experiment, Finding, Outcome, PaperValue
from antecede.lab.results import Results

__all__ = ["Chart", "Claim", "Experiment", "Finding", "Outcome", "PaperValue", "Results"]
