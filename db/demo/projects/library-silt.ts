import { type AssetChain, approved, pending, published, rejected } from "../assets/asset-versions.ts";

/** What was made for the data pipeline. */
export const siltLibrary: readonly AssetChain[] = [
  {
    task: "A gap in a gauge becomes a flat line",
    title: "Tide curve with a gap",
    filename: "gap.png",
    by: "agent:codex",
    tags: ["curve"],
    versions: [published],
  },
  {
    task: "Predict high water seven days ahead",
    title: "How high water is predicted",
    filename: "harmonics.pdf",
    by: "agent:codex",
    tags: ["method"],
    versions: [approved],
  },
  {
    task: "Level of the lock at Veere drifts",
    title: "Drift of the lock",
    filename: "drift.png",
    by: "agent:claude-code",
    tags: ["curve"],
    versions: [
      rejected(
        "The axis starts at 3 m, so the drift looks ten times as large. Show the difference, from zero.",
      ),
    ],
  },
  {
    task: "Tests download real files",
    title: "One day of every gauge",
    filename: "day.parquet",
    by: "bot:northquay-ci[bot]",
    tags: ["sample"],
    versions: [approved],
  },
  {
    task: "Outliers after every storm",
    title: "Spoken tide report, trial",
    filename: "report.mp3",
    by: "agent:codex",
    tags: ["trial"],
    versions: [rejected("Reads 'NAP' as a word. Out of scope until somebody asks for it.")],
  },
  {
    task: "One report a week on how good the data was",
    title: "Weekly report",
    filename: "report.html",
    by: "agent:claude-code",
    tags: ["report"],
    versions: [rejected("Say which numbers were corrected by hand, and by whom."), published],
  },
  {
    task: "harbor needs the depth at low water as a number",
    title: "Depths by berth",
    filename: "depths.parquet",
    by: "bot:northquay-ci[bot]",
    tags: ["delivery"],
    versions: [approved, pending],
  },
];
