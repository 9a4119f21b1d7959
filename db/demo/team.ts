/** Who is in the story: an imagined team and its projects. */
import type { AssetChain } from "./assets/asset-versions.ts";
import { harborLibrary } from "./projects/library-harbor.ts";
import { siltLibrary } from "./projects/library-silt.ts";
import { ternLibrary } from "./projects/library-tern.ts";
import { harborTasks } from "./projects/tasks-harbor.ts";
import { siltTasks } from "./projects/tasks-silt.ts";
import { ternTasks } from "./projects/tasks-tern.ts";
import type { Task } from "./tasks/tasks.ts";

export interface DemoProject {
  slug: string;
  repo: string;
  stack: string;
  summary: string;
  check: string;
  /** Indexes in the deployment's list of lanes: quick, everyday, deep. */
  lanes: number[];
  tasks: readonly Task[];
  library: readonly AssetChain[];
  /** Number of the first issue of the month. */
  firstNumber: number;
  lead: string;
  reviewers: string[];
  runners: string[];
  dependencies: string[];
  /** Its CI workflow: name, duration in minutes, and the number of runs before the month. */
  workflow: { name: string; minutes: [number, number]; before: number };
  /** Preview deployments of pull requests. */
  preview?: {
    environment: (pull: number) => string;
    url: (pull: number) => string;
    says: string;
    fails: string;
  };
}

export const projects: DemoProject[] = [
  {
    slug: "harbor",
    repo: "northquay/harbor",
    stack: "TypeScript, React, Postgres",
    summary: "Berth booking for small marinas: guests find and pay for a berth, harbor masters run the day.",
    check: "bun run check",
    lanes: [0, 1, 2],
    tasks: harborTasks,
    library: harborLibrary,
    firstNumber: 412,
    lead: "human:mara",
    reviewers: ["human:mara", "human:jonas"],
    runners: ["runner:linux-1", "runner:linux-2"],
    dependencies: [
      "react",
      "the Postgres client",
      "the mail renderer",
      "the browser tests",
      "typescript",
      "the map tiles",
      "the css compiler",
      "the date picker",
      "vite",
      "the bank's client",
    ],
    workflow: { name: "check", minutes: [2, 5], before: 2260 },
    preview: {
      environment: (pull) => `preview-${pull}`,
      url: (pull) => `https://pr-${pull}.harbor.example/`,
      says: "seeded with the harbor of Veere",
      fails: "the migration of the branch did not run",
    },
  },
  {
    slug: "tern",
    repo: "northquay/tern-ios",
    stack: "Swift, SwiftUI, SQLite",
    summary: "A skipper's log book for iPhone that works without a signal and syncs in the harbor.",
    check: "xcodebuild test -scheme Tern -destination 'platform=iOS Simulator,name=iPhone 17'",
    lanes: [1, 2],
    tasks: ternTasks,
    library: ternLibrary,
    firstNumber: 187,
    lead: "human:ines",
    reviewers: ["human:ines", "human:jonas"],
    runners: ["runner:mac-mini-2"],
    dependencies: [
      "GRDB",
      "the snapshot tests",
      "swift-collections",
      "the GPX reader",
      "swift-format",
      "the crash reporter",
      "the chart library",
      "fastlane",
    ],
    workflow: { name: "Build and test", minutes: [9, 18], before: 930 },
    preview: {
      environment: () => "beta",
      url: (pull) => `https://beta.tern.example/builds/${pull}`,
      says: "install it from the beta page",
      fails: "the archive could not be signed",
    },
  },
  {
    slug: "silt",
    repo: "northquay/silt",
    stack: "Python, DuckDB, Parquet",
    summary: "Nightly tide, depth and water-level data for harbor and tern, from eleven public gauges.",
    check: "uv run pytest -q && uv run ruff check",
    lanes: [0, 1],
    tasks: siltTasks,
    library: siltLibrary,
    firstNumber: 96,
    lead: "human:tomasz",
    reviewers: ["human:tomasz", "human:mara"],
    runners: ["runner:linux-1", "runner:linux-2"],
    dependencies: ["duckdb", "pyarrow", "httpx", "ruff", "pytest", "numpy", "tenacity", "the tide tables"],
    workflow: { name: "tests", minutes: [3, 7], before: 610 },
  },
];

export const people = ["human:mara", "human:jonas", "human:ines", "human:tomasz"];

export const bots = {
  ci: "bot:northquay-ci[bot]",
  updates: "bot:dependabot[bot]",
  agents: "bot:northquay-agents[bot]",
  self: "bot:svc",
};

/** A URL on the demo's fictional Git host (`.example` is reserved, RFC 2606). */
export const urlOf = (repo: string, rest: string): string => `https://git.example/${repo}/${rest}`;

/** Lane names by index; an index past the end gets the last lane. */
export const laneNames = (places: readonly number[], lanes: readonly string[]): string[] => [
  ...new Set(places.map((place) => laneName(place, lanes))),
];

export const laneName = (place: number, lanes: readonly string[]): string =>
  lanes[Math.min(place, lanes.length - 1)] as string;
