import { approved, type Chain, file, pdf, pending, png, published, rejected } from "./chain.ts";

/** What was made for the data pipeline. */
export const siltLibrary: readonly Chain[] = [
  {
    ...{ ...png, about: "A gap in a gauge becomes a flat line", title: "Tide curve with a gap", filename: "gap.png" },
    ...{ by: "agent:codex", tags: ["curve"], pixels: [1400, 700], kilobytes: 74, versions: [published] },
  },
  {
    ...{ ...pdf, about: "Predict high water seven days ahead", title: "How high water is predicted", filename: "harmonics.pdf" },
    ...{ by: "agent:codex", tags: ["method"], kilobytes: 520, versions: [approved] },
  },
  {
    ...{ ...png, about: "Level of the lock at Veere drifts", title: "Drift of the lock", filename: "drift.png" },
    ...{ by: "agent:claude-code", tags: ["curve"], pixels: [1400, 700], kilobytes: 81 },
    versions: [rejected("The axis starts at 3 m, so the drift looks ten times as large. Show the difference, from zero.")],
  },
  {
    ...{
      ...file,
      mime: "application/vnd.apache.parquet",
      about: "Tests download real files",
      title: "One day of every gauge",
      filename: "day.parquet",
    },
    ...{ by: "bot:northquay-ci[bot]", tags: ["sample"], kilobytes: 1_910, versions: [approved] },
  },
  {
    ...{
      kind: "audio",
      mime: "audio/mpeg",
      about: "Outliers after every storm",
      title: "Spoken tide report, trial",
      filename: "report.mp3",
    },
    ...{ by: "agent:codex", tags: ["trial"], seconds: 52, kilobytes: 830 },
    versions: [rejected("Reads 'NAP' as a word. Out of scope until somebody asks for it.")],
  },
  {
    ...{
      kind: "html",
      mime: "text/html",
      about: "One report a week on how good the data was",
      title: "Weekly report",
      filename: "report.html",
    },
    ...{ by: "agent:claude-code", tags: ["report"], kilobytes: 212 },
    versions: [rejected("Say which numbers were corrected by hand, and by whom."), published],
  },
  {
    ...{
      ...file,
      mime: "application/vnd.apache.parquet",
      about: "harbor needs the depth at low water as a number",
      title: "Depths by berth",
      filename: "depths.parquet",
    },
    ...{ by: "bot:northquay-ci[bot]", tags: ["delivery"], kilobytes: 6_400, versions: [approved, pending] },
  },
];
