import type { Task } from "../tasks/tasks.ts";

/** A month of work on the data pipeline. */
export const siltTasks: readonly Task[] = [
  {
    ...{ issueTitle: "Gauge of Vlissingen reports in centimetres since Monday", label: "bug" },
    ...{
      pullTitle: "Check the unit of every gauge against its range",
      files: ["silt/gauges/units.py", "tests/test_units.py"],
    },
  },
  {
    ...{ issueTitle: "Nightly run takes four hours", label: "performance" },
    ...{
      pullTitle: "Read a gauge's files in parallel and write Parquet by month",
      files: ["silt/load.py", "silt/write.py"],
    },
    requestedChanges: "Two writers for one month overwrite each other. Collect first, then write once.",
  },
  {
    ...{ issueTitle: "Depths of Veere are two weeks old", label: "bug" },
    ...{
      pullTitle: "Follow the survey office's new address",
      files: ["silt/sources/survey.py", "tests/test_survey.py"],
      by: "human:tomasz",
    },
  },
  {
    ...{ issueTitle: "A gap in a gauge becomes a flat line", label: "bug" },
    ...{ pullTitle: "Leave gaps of more than an hour empty", files: ["silt/fill.py", "tests/test_fill.py"] },
  },
  {
    ...{ issueTitle: "Predict high water seven days ahead", label: "feature" },
    ...{
      pullTitle: "Predict high water from the harmonic constants",
      files: ["silt/predict/harmonics.py", "tests/test_harmonics.py"],
    },
    runFailure: "the constants of three gauges have another epoch, predictions were off by 40 minutes",
  },
  {
    ...{ issueTitle: "Nobody notices when a gauge goes silent", label: "operations" },
    ...{
      pullTitle: "Open an issue when a gauge is silent for six hours",
      files: ["silt/watch.py", "tests/test_watch.py"],
    },
  },
  {
    ...{ issueTitle: "Summer time shifts the October tides", label: "bug" },
    ...{
      pullTitle: "Convert to UTC before anything is joined",
      files: ["silt/time.py", "tests/test_time.py"],
    },
    checkFailure: "the night of the change has 25 hours in one gauge and 24 in the others",
  },
  {
    ...{ issueTitle: "tern downloads 40 MB for one harbor", label: "performance" },
    ...{ pullTitle: "Publish tides by harbor and week", files: ["silt/publish.py", "silt/tiles.py"] },
  },
  {
    ...{ issueTitle: "Publish where each number comes from", label: "feature" },
    ...{
      pullTitle: "Add source, time and licence to every file",
      files: ["silt/publish.py", "silt/provenance.py"],
    },
  },
  {
    ...{ issueTitle: "Rewrite the loader in Polars", label: "chore" },
    ...{ pullTitle: "Load gauges with Polars", files: ["silt/load.py", "pyproject.toml"] },
    rejection:
      "DuckDB reads the same files in a third of the memory. Closing, with the numbers in the issue.",
  },
  {
    ...{ issueTitle: "Level of the lock at Veere drifts", label: "bug" },
    ...{
      pullTitle: "Correct the drift by the weekly reference reading",
      files: ["silt/gauges/drift.py", "tests/test_drift.py"],
    },
  },
  {
    ...{ issueTitle: "Tests download real files", label: "chore" },
    ...{
      pullTitle: "Record one day of every gauge for the tests",
      files: ["tests/conftest.py", "tests/days/README.md"],
    },
  },
  {
    ...{ issueTitle: "Rerun one night without touching the others", label: "operations" },
    ...{ pullTitle: "Let a night be loaded again by its date", files: ["silt/cli.py", "silt/load.py"] },
    requestedChanges: "A night that is loaded again must replace its rows, not stand beside them.",
  },
  {
    ...{ issueTitle: "Outliers after every storm", label: "bug" },
    ...{
      pullTitle: "Mark jumps that two neighbours do not confirm",
      files: ["silt/outliers.py", "tests/test_outliers.py"],
    },
  },
  {
    ...{ issueTitle: "Add the gauges of the Baltic", label: "feature" },
    ...{
      pullTitle: "Read the five Baltic gauges",
      files: ["silt/sources/baltic.py", "tests/test_baltic.py"],
    },
    runFailure: "the server answers 403 to the runner's address",
  },
  {
    ...{ issueTitle: "Files carry the date of the run, not of the data", label: "bug" },
    ...{ pullTitle: "Name files by the day they hold", files: ["silt/write.py", "tests/test_write.py"] },
  },
  {
    ...{ issueTitle: "One report a week on how good the data was", label: "feature" },
    ...{
      pullTitle: "Write a weekly report of gaps and corrections",
      files: ["silt/report.py", "silt/report.html"],
    },
  },
  {
    ...{ issueTitle: "Disk of the runner is full on Sundays", label: "operations" },
    ...{ pullTitle: "Keep raw files for ten days", files: ["silt/clean.py", "tests/test_clean.py"] },
  },
  {
    ...{ issueTitle: "harbor needs the depth at low water as a number", label: "feature" },
    ...{
      pullTitle: "Publish the depth at low water for each berth",
      files: ["silt/berths.py", "silt/publish.py"],
    },
  },
  { issueTitle: "Wind from the nearest station", label: "feature" },
  {
    ...{ issueTitle: "Two gauges share an identifier", label: "bug" },
    ...{
      pullTitle: "Name gauges by operator and identifier",
      files: ["silt/gauges/names.py", "tests/test_names.py"],
    },
  },
  { issueTitle: "Keep the corrections of a gauge with its data", label: "chore" },
];
