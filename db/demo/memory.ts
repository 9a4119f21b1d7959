/** The decisions and preferences of the demo team. */
import type { Micros } from "../../src/core/lib/time.ts";
import type { NumberedItem } from "./draft.ts";

/** Timed relative to now: that many days ago, moved to the next working hour. */
export type RelativelyTimed<T> = Omit<T, "at"> & { daysAgo: number };

export interface DemoDecision {
  project: string;
  at: Micros;
  by: string;
  text: string;
  source: string;
  source_ref?: string;
  /** The name by which a later decision replaces this one. */
  name?: string;
  replaces?: string;
  /** Retired without a replacement, that many days after it was made. */
  retiredAfter?: number;
  retired?: Micros;
  /** The run that made it. */
  run?: NumberedItem;
}

export const decisions: RelativelyTimed<DemoDecision>[] = [
  {
    project: "harbor",
    daysAgo: 29.1,
    by: "human:mara",
    source: "cli",
    name: "prices",
    text: "Prices are kept in cents and rounded once, when they are shown.",
  },
  {
    project: "harbor",
    daysAgo: 28.6,
    by: "agent:claude-code",
    source: "mcp",
    source_ref: "https://git.example/northquay/harbor/blob/main/docs/days.md",
    text:
      "Days are days of the harbor. Code that needs a day takes the harbor's time zone as an " +
      "argument and never reads the server's.",
  },
  {
    project: "harbor",
    daysAgo: 9.8,
    by: "human:mara",
    source: "cli",
    replaces: "prices",
    text:
      "Prices are kept in cents. Dues of the town are rounded down to ten cents, everything else " +
      "to the cent, once, when they are shown.",
  },
  {
    project: "harbor",
    daysAgo: 15.4,
    by: "human:jonas",
    source: "web",
    text:
      "Booking keeps its four steps. Shorten the steps, do not join them.\nThree guests of the " +
      "trial lost their way on the single page.",
  },
  {
    project: "harbor",
    daysAgo: 17.6,
    by: "agent:codex",
    source: "mcp",
    text: "The bank's sandbox takes whole euros only. Tests of payments use whole euros.",
  },
  {
    project: "harbor",
    daysAgo: 24.3,
    by: "human:jonas",
    source: "web",
    retiredAfter: 9,
    text: "The berth map stays behind a switch until the harbor office has tried it for a week.",
  },
  {
    project: "tern",
    daysAgo: 28.2,
    by: "human:ines",
    source: "cli",
    name: "fixes",
    text: "The recorder takes a fix every second. Battery is second to a true track.",
  },
  {
    project: "tern",
    daysAgo: 16.8,
    by: "human:ines",
    source: "web",
    text:
      "The log stays on SQLite. SwiftData took six seconds to open 4,000 entries on the oldest " +
      "phone we support.",
  },
  {
    project: "tern",
    daysAgo: 17.9,
    by: "human:ines",
    source: "cli",
    replaces: "fixes",
    text:
      "The recorder takes a fix every second while the course turns, every ten seconds while it " +
      "is steady.",
  },
  {
    project: "tern",
    daysAgo: 10.2,
    by: "agent:claude-code",
    source: "mcp",
    text: "Names of the crew leave the phone only after the skipper agreed, each time.",
  },
  {
    project: "silt",
    daysAgo: 29.4,
    by: "human:tomasz",
    source: "cli",
    name: "parquet",
    text: "One Parquet file for each gauge and year.",
  },
  {
    project: "silt",
    daysAgo: 25.2,
    by: "human:tomasz",
    source: "cli",
    replaces: "parquet",
    text: "One Parquet file for each gauge and month, written by one process after everything is collected.",
  },
  {
    project: "silt",
    daysAgo: 20.1,
    by: "agent:codex",
    source: "mcp",
    source_ref: "https://git.example/northquay/silt/blob/main/silt/time.py",
    text: "Times become UTC on reading. Nothing behind silt/time.py knows a local time.",
  },
  {
    project: "silt",
    daysAgo: 15.7,
    by: "human:tomasz",
    source: "web",
    text: "We load with DuckDB. Polars needed three times the memory for the same files.",
  },
];

export interface DemoPreference {
  project: string | null;
  key: string;
  value: string;
  by: string;
  at: Micros;
}

/** The newest value of a key is the current one. */
export const preferences: RelativelyTimed<DemoPreference>[] = [
  {
    project: null,
    key: "commit.subject",
    value: "imperative, no prefix, at most 72 characters",
    by: "human:jonas",
    daysAgo: 29.3,
  },
  {
    project: null,
    key: "pull_request.size",
    value: "at most 600 changed lines",
    by: "human:mara",
    daysAgo: 28.4,
  },
  {
    project: null,
    key: "language",
    value: "British spelling in everything a guest reads",
    by: "human:mara",
    daysAgo: 22.2,
  },
  {
    project: null,
    key: "pull_request.size",
    value: "at most 400 changed lines, tests not counted",
    by: "human:mara",
    daysAgo: 14.2,
  },
  {
    project: "harbor",
    key: "tests",
    value: "bun test, one file for each module, no snapshots of markup",
    by: "human:mara",
    daysAgo: 27.2,
  },
  { project: "harbor", key: "colour.accent", value: "#0b6e75", by: "human:mara", daysAgo: 21.3 },
  { project: "tern", key: "oldest_phone", value: "iPhone 12", by: "human:ines", daysAgo: 25.1 },
  {
    project: "tern",
    key: "pull_request.size",
    value: "at most 250 changed lines",
    by: "human:ines",
    daysAgo: 11.1,
  },
  { project: "silt", key: "python", value: "3.13, typed, no pandas", by: "human:tomasz", daysAgo: 26.3 },
  { project: "silt", key: "units", value: "metres above NAP, UTC", by: "human:tomasz", daysAgo: 6.2 },
];
