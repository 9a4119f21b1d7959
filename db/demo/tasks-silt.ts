import type { Task } from "./tasks.ts";

/** A month of work on the data pipeline. */
export const siltTasks: readonly Task[] = [
  {
    ...{ asks: "Gauge of Vlissingen reports in centimetres since Monday", label: "bug" },
    ...{
      does: "Check the unit of every gauge against its range",
      files: ["silt/gauges/units.py", "tests/test_units.py"],
    },
  },
  {
    ...{ asks: "Nightly run takes four hours", label: "performance" },
    ...{
      does: "Read a gauge's files in parallel and write Parquet by month",
      files: ["silt/load.py", "silt/write.py"],
    },
    changes: "Two writers for one month overwrite each other. Collect first, then write once.",
  },
  {
    ...{ asks: "Depths of Veere are two weeks old", label: "bug" },
    ...{
      does: "Follow the survey office's new address",
      files: ["silt/sources/survey.py", "tests/test_survey.py"],
      by: "human:tomasz",
    },
  },
  {
    ...{ asks: "A gap in a gauge becomes a flat line", label: "bug" },
    ...{ does: "Leave gaps of more than an hour empty", files: ["silt/fill.py", "tests/test_fill.py"] },
  },
  {
    ...{ asks: "Predict high water seven days ahead", label: "feature" },
    ...{
      does: "Predict high water from the harmonic constants",
      files: ["silt/predict/harmonics.py", "tests/test_harmonics.py"],
    },
    failed: "the constants of three gauges have another epoch, predictions were off by 40 minutes",
  },
  {
    ...{ asks: "Nobody notices when a gauge goes silent", label: "operations" },
    ...{
      does: "Open an issue when a gauge is silent for six hours",
      files: ["silt/watch.py", "tests/test_watch.py"],
    },
  },
  {
    ...{ asks: "Summer time shifts the October tides", label: "bug" },
    ...{ does: "Convert to UTC before anything is joined", files: ["silt/time.py", "tests/test_time.py"] },
    red: "the night of the change has 25 hours in one gauge and 24 in the others",
  },
  {
    ...{ asks: "tern downloads 40 MB for one harbour", label: "performance" },
    ...{ does: "Publish tides by harbour and week", files: ["silt/publish.py", "silt/tiles.py"] },
  },
  {
    ...{ asks: "Publish where each number comes from", label: "feature" },
    ...{
      does: "Add source, time and licence to every file",
      files: ["silt/publish.py", "silt/provenance.py"],
    },
  },
  {
    ...{ asks: "Rewrite the loader in Polars", label: "chore" },
    ...{ does: "Load gauges with Polars", files: ["silt/load.py", "pyproject.toml"] },
    dropped: "DuckDB reads the same files in a third of the memory. Closing, with the numbers in the issue.",
  },
  {
    ...{ asks: "Level of the lock at Veere drifts", label: "bug" },
    ...{
      does: "Correct the drift by the weekly reference reading",
      files: ["silt/gauges/drift.py", "tests/test_drift.py"],
    },
  },
  {
    ...{ asks: "Tests download real files", label: "chore" },
    ...{
      does: "Record one day of every gauge for the tests",
      files: ["tests/conftest.py", "tests/days/README.md"],
    },
  },
  {
    ...{ asks: "Rerun one night without touching the others", label: "operations" },
    ...{ does: "Let a night be loaded again by its date", files: ["silt/cli.py", "silt/load.py"] },
    changes: "A night that is loaded again must replace its rows, not stand beside them.",
  },
  {
    ...{ asks: "Outliers after every storm", label: "bug" },
    ...{
      does: "Mark jumps that two neighbours do not confirm",
      files: ["silt/outliers.py", "tests/test_outliers.py"],
    },
  },
  {
    ...{ asks: "Add the gauges of the Baltic", label: "feature" },
    ...{ does: "Read the five Baltic gauges", files: ["silt/sources/baltic.py", "tests/test_baltic.py"] },
    failed: "the server answers 403 to the runner's address",
  },
  {
    ...{ asks: "Files carry the date of the run, not of the data", label: "bug" },
    ...{ does: "Name files by the day they hold", files: ["silt/write.py", "tests/test_write.py"] },
  },
  {
    ...{ asks: "One report a week on how good the data was", label: "feature" },
    ...{
      does: "Write a weekly report of gaps and corrections",
      files: ["silt/report.py", "silt/report.html"],
    },
  },
  {
    ...{ asks: "Disk of the runner is full on Sundays", label: "operations" },
    ...{ does: "Keep raw files for ten days", files: ["silt/clean.py", "tests/test_clean.py"] },
  },
  {
    ...{ asks: "harbor needs the depth at low water as a number", label: "feature" },
    ...{
      does: "Publish the depth at low water for each berth",
      files: ["silt/berths.py", "silt/publish.py"],
    },
  },
  { asks: "Wind from the nearest station", label: "feature" },
  {
    ...{ asks: "Two gauges share an identifier", label: "bug" },
    ...{
      does: "Name gauges by operator and identifier",
      files: ["silt/gauges/names.py", "tests/test_names.py"],
    },
  },
  { asks: "Keep the corrections of a gauge with its data", label: "chore" },
];
