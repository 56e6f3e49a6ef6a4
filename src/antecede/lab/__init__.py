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

The modules, in the order in which to read them:

papers          the five papers, and the number by which this project names each
experiment      the parts of a declaration: an experiment, its charts and its claims
results         the results, as Parquet: a row for each point and seed
claims          functions from results to a finding
experiments/    one module for each experiment, and a table of them all
topologies      the networks of paper 004, and others, as graphs
printed/        the algorithms as printed, with their mistakes
run             all rows of an experiment, as a DataFrame on Spark
executor        what a Spark task does: measures rows
measuring_code  a name of the code that measures, kept with results
draw            a figure of an experiment
report          the files of a result: tables, figure and claims
pages           pages of results
"""

from antecede.lab.experiment import Chart, Claim, Experiment, Finding, Outcome, PaperValue
from antecede.lab.results import Results

__all__ = ["Chart", "Claim", "Experiment", "Finding", "Outcome", "PaperValue", "Results"]
