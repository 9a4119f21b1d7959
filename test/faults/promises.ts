/**
 * What the long proofs promise: how often each is tried in the suite, in the bounded run (`bun run
 * test:faults`) and in the full one (`--full`), and how far a run came. The numbers stand here alone: a test
 * asks for its own, and says what it reached.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { cases, keptInSuite, unproven } from "./cases.ts";

export type Scale = "suite" | "bounded" | "full";

/** Something that is tried a number of times in all, spread evenly `over` databases or stores. */
interface Count {
  promise: string;
  what: string;
  file: string;
  over?: number;
  suite: number;
  bounded: number;
  /** As often as the reference promises, and as the full run tries it. */
  full: number;
}

/** Something that is measured, and may be so much and no more. */
interface Limit {
  promise: string;
  what: string;
  file: string;
  atMost: number;
  unit: "ms" | "MB" | "s" | "%";
}

export const counts = {
  kills: {
    ...{ promise: "R1", what: "kill -9 at any moment of appends", file: "faults/kill.test.ts" },
    ...{ over: 2, suite: 4, bounded: 60, full: 1000 },
  },
  libraryKills: {
    ...{
      promise: "R1",
      what: "kill -9 at any moment of uploads, finalizes, reviews, publications",
      file: "faults/library-kills.test.ts",
    },
    ...{ over: 4, suite: 4, bounded: 60, full: 400 },
  },
  removalKills: {
    ...{
      promise: "R1",
      what: "kill -9 at any moment of a redaction, an erasure of a person, a removal of a project",
      file: "faults/removal-kills.test.ts",
    },
    ...{ over: 2, suite: 6, bounded: 60, full: 400 },
  },
  nodeKills: {
    ...{
      promise: "R1",
      what: "kill -9 of one of three processes behind a proxy, each five seconds",
      file: "faults/nodes.test.ts",
    },
    ...{ suite: 1, bounded: 8, full: 24 },
  },
  callKills: {
    ...{
      promise: "R1",
      what: "kill -9 at a system call of append, delivery, upload, finalize, review, publish",
      file: "faults/failing-syscalls.test.ts",
    },
    ...{ over: 4, suite: 0, bounded: 60, full: 400 },
  },
  callOrder: {
    ...{
      promise: "R1",
      what: "answers of which the bytes and the row were synced before, in the order of calls",
      file: "faults/failing-syscalls.test.ts",
    },
    ...{ suite: 0, bounded: 8, full: 8 },
  },
  callErrors: {
    ...{
      promise: "R2",
      what: "ENOSPC and EIO at a system call, once and from then on",
      file: "faults/failing-syscalls.test.ts",
    },
    ...{ over: 4, suite: 0, bounded: 40, full: 400 },
  },
  tail: {
    ...{
      promise: "R3",
      what: "events of two processes, each seen once by polling and on the stream",
      file: "faults/tail.test.ts",
    },
    ...{ over: 2, suite: 800, bounded: 20_000, full: 200_000 },
  },
  paging: {
    ...{
      promise: "R4",
      what: "events of one instant, paged by 1, 7, 50 and 200 in both directions",
      file: "feed/paging.test.ts",
    },
    ...{ over: 2, suite: 2_000, bounded: 20_000, full: 20_000 },
  },
  resumed: {
    ...{
      promise: "R10",
      what: "cuts of one upload by its sender and by kill -9 of the server, each resumed",
      file: "faults/resumed.test.ts",
    },
    ...{ over: 4, suite: 8, bounded: 80, full: 80 },
  },
  clock: {
    ...{
      promise: "R5",
      what: "events of two processes under clocks that jump",
      file: "faults/clock.test.ts",
    },
    ...{ over: 2, suite: 200, bounded: 8_000, full: 40_000 },
  },
  webhookKills: {
    ...{
      promise: "R6",
      what: "kill -9 of a sender or the receiver of webhooks: no event missed, none out of order",
      file: "faults/webhooks.test.ts",
    },
    ...{ over: 2, suite: 4, bounded: 100, full: 1_000 },
  },
  deliveries: {
    ...{
      promise: "R6",
      what: "deliveries, each twenty times at once at two processes, again, and under another id",
      file: "faults/deliveries.test.ts",
    },
    ...{ over: 2, suite: 4, bounded: 200, full: 1_000 },
  },
  finalizes: {
    ...{
      promise: "R7",
      what: "rounds of twenty finalizes at two processes: one 201",
      file: "faults/assets.test.ts",
    },
    ...{ over: 4, suite: 4, bounded: 40, full: 200 },
  },
  replacements: {
    ...{
      promise: "R8",
      what: "rounds of ten replacements at once: one head, no gap",
      file: "faults/assets.test.ts",
    },
    ...{ over: 4, suite: 4, bounded: 40, full: 200 },
  },
  interleavings: {
    ...{
      promise: "R9",
      what: "writes to an upload's address during finalize, review and publish",
      file: "faults/assets.test.ts",
    },
    ...{ over: 4, suite: 12, bounded: 100, full: 500 },
  },
  reviews: {
    ...{
      promise: "R9",
      what: "rounds of reviewers at once at two processes: no verdict lost, no quorum across two files",
      file: "faults/reviews.test.ts",
    },
    ...{ suite: 2, bounded: 60, full: 400 },
  },
  setReviews: {
    ...{
      promise: "R9",
      what: "variant sets that two processes review at once: each variant once, one decision",
      file: "faults/reviews.test.ts",
    },
    ...{ suite: 2, bounded: 30, full: 200 },
  },
  cuts: {
    ...{
      promise: "R10",
      what: "uploads cut anywhere, by their sender or by the end of the server: nothing is left",
      file: "faults/cut-uploads.test.ts",
    },
    ...{ over: 4, suite: 4, bounded: 40, full: 200 },
  },
  migrationKills: {
    ...{ promise: "R11", what: "first starts killed at a call that writes", file: "faults/kill.test.ts" },
    ...{ over: 2, suite: 0, bounded: 20, full: 200 },
  },
  firstStarts: {
    ...{
      promise: "R11",
      what: "first starts killed half-way, and of two processes at once",
      file: "faults/kill.test.ts",
    },
    ...{ over: 4, suite: 4, bounded: 40, full: 80 },
  },
  longRestart: {
    ...{
      promise: "R12",
      what: "events that are there again after a crash with a log of 64 MiB",
      file: "faults/restart.test.ts",
    },
    ...{ suite: 0, bounded: 100_000, full: 1_000_000 },
  },
  fullDisks: {
    ...{
      promise: "R15",
      what: "times that the disk below a server is full",
      file: "faults/full-disk.test.ts",
    },
    ...{ suite: 0, bounded: 2, full: 5 },
  },
  readOnlyDisks: {
    ...{ promise: "R15", what: "times that it is read-only", file: "faults/full-disk.test.ts" },
    ...{ suite: 0, bounded: 2, full: 5 },
  },
  lineFaults: {
    ...{
      promise: "R13",
      what: "lines to Postgres and the bucket that reset, hang, are late, slow or cut",
      file: "faults/bad-network.test.ts",
    },
    ...{ over: 10, suite: 0, bounded: 10, full: 50 },
  },
  abortedReads: {
    ...{
      promise: "R13",
      what: "downloads that were left while the line to the bucket was bad",
      file: "faults/bad-network.test.ts",
    },
    ...{ suite: 0, bounded: 100, full: 1_000 },
  },
  restarts: {
    ...{
      promise: "R14",
      what: "crashes and restarts of Postgres under load",
      file: "faults/connections.test.ts",
    },
    ...{ suite: 0, bounded: 6, full: 20 },
  },
  drops: {
    ...{
      promise: "R14",
      what: "times that Postgres drops every connection under load",
      file: "faults/connections.test.ts",
    },
    ...{ suite: 5, bounded: 40, full: 100 },
  },
  groupKills: {
    ...{
      promise: "R14",
      what: "kills of the connection to Postgres that writes for many",
      file: "faults/group-commit.test.ts",
    },
    ...{ suite: 4, bounded: 60, full: 400 },
  },
  distantAppends: {
    ...{
      promise: "R3",
      what: "events of three nodes 2 ms from Postgres under kills of connections, each polled once",
      file: "faults/distant-nodes.test.ts",
    },
    ...{ suite: 120, bounded: 1_500, full: 20_000 },
  },
  freshBriefs: {
    ...{
      promise: "R13",
      what: "sessions that start one second after a rejection, over TLS and 0, 15 or 80 ms: each has its note",
      file: "faults/fresh-brief.test.ts",
    },
    ...{ over: 3, suite: 6, bounded: 300, full: 300 },
  },
  scopes: {
    ...{ promise: "R17", what: "sets of scopes, asked for by everything", file: "core/auth/scopes.test.ts" },
    ...{ over: 2, suite: 18, bounded: 128, full: 256 },
  },
  matrix: {
    ...{
      promise: "R17",
      what: "cells of the matrix: operations, tools, pages, files × callers, exact status",
      file: "core/auth/scopes.test.ts",
    },
    ...{ suite: 1, bounded: 1, full: 25_000 },
  },
  fuzz: {
    ...{
      promise: "R22",
      what: "requests made from the OpenAPI document: no 500, every answer described",
      file: "fuzz.test.ts",
    },
    ...{ over: 2, suite: 500, bounded: 100_000, full: 1_000_000 },
  },
  drills: {
    ...{
      promise: "R24",
      what: "backups under load that come back elsewhere, every row and every hash",
      file: "faults/backup.test.ts",
    },
    ...{ over: 2, suite: 2, bounded: 6, full: 20 },
  },
  moved: {
    ...{
      promise: "R24",
      what: "events moved from SQLite and disk to Postgres and bucket, with kills on the way",
      file: "faults/backup.test.ts",
    },
    ...{ suite: 0, bounded: 20_000, full: 100_000 },
  },
  canaries: {
    ...{
      promise: "R23",
      what: "hostile requests of which no token, key or signed address is in log or answer",
      file: "fuzz.test.ts",
    },
    ...{ over: 2, suite: 500, bounded: 100_000, full: 1_000_000 },
  },
  rollingRestarts: {
    ...{
      promise: "R25",
      what: "SIGTERM of one of three processes behind a proxy that asks /readyz: no request fails",
      file: "faults/nodes.test.ts",
    },
    ...{ suite: 3, bounded: 12, full: 60 },
  },
  rollingUpgrades: {
    ...{
      promise: "R25",
      what: "SIGTERM of one of three processes, and a start of the next version with a migration: no request fails",
      file: "faults/nodes.test.ts",
    },
    ...{ suite: 3, bounded: 12, full: 60 },
  },
  telemetrySpans: {
    ...{
      promise: "R14",
      what: "spans of the OpenTelemetry SDK over two kills -9 of the server, each usage once",
      file: "faults/telemetry.test.ts",
    },
    ...{ over: 2, suite: 500, bounded: 20_000, full: 20_000 },
  },
  hostileArguments: {
    ...{ promise: "R22", what: "calls of tools with hostile arguments", file: "faults/mcp-fuzz.test.ts" },
    ...{ over: 2, suite: 800, bounded: 10_000, full: 20_000 },
  },
  hostileQueries: {
    ...{ promise: "R22", what: "hostile queries of memory", file: "faults/recall.test.ts" },
    ...{ over: 2, suite: 300, bounded: 4_000, full: 20_000 },
  },
  madeRepeats: {
    ...{
      promise: "R27",
      what: "rejected images sent again in another form, and corrected",
      file: "files/probe/made-repeats.test.ts",
    },
    ...{ suite: 8, bounded: 100, full: 300 },
  },
  madePlaces: {
    ...{
      promise: "R27",
      what: "marked places of each kind, changed and unchanged",
      file: "files/probe/made-places.test.ts",
    },
    ...{ over: 9, suite: 9, bounded: 108, full: 207 },
  },
} satisfies Record<string, Count>;

export const limits = {
  deliveryWait: {
    promise: "R6",
    what: "p99 of the answer to a delivery, twenty at once",
    file: "faults/deliveries.test.ts",
    atMost: 1_000,
    unit: "ms",
  },
  longStart: {
    promise: "R12",
    what: "first answer after that crash",
    file: "faults/restart.test.ts",
    atMost: 2_000,
    unit: "ms",
  },
  lineAnswer: {
    promise: "R13",
    what: "slowest answer while a line is bad",
    file: "faults/bad-network.test.ts",
    atMost: 10_000,
    unit: "ms",
  },
  lineFeed: {
    promise: "R13",
    what: "p99 of the feed while the line to the bucket is bad",
    file: "faults/bad-network.test.ts",
    atMost: 250,
    unit: "ms",
  },
  lineInfo: {
    promise: "R13",
    what: "p99 of /info while the line to Postgres is bad",
    file: "faults/bad-network.test.ts",
    atMost: 250,
    unit: "ms",
  },
  lineHeal: {
    promise: "R13",
    what: "until all is well after a bad line",
    file: "faults/bad-network.test.ts",
    atMost: 5_000,
    unit: "ms",
  },
  restart: {
    promise: "R12",
    what: "start after a crash",
    file: "faults/failing-syscalls.test.ts",
    atMost: 2_000,
    unit: "ms",
  },
  crowdWait: {
    promise: "R16",
    what: "p99 of /info among 640 slow and silent clients",
    file: "faults/slow-clients.test.ts",
    atMost: 250,
    unit: "ms",
  },
  crowdMemory: {
    promise: "R16",
    what: "memory of the server meanwhile",
    file: "faults/slow-clients.test.ts",
    atMost: 512,
    unit: "MB",
  },
  crowdCut: {
    promise: "R16",
    what: "until the last slow one is cut",
    file: "faults/slow-clients.test.ts",
    atMost: 61,
    unit: "s",
  },
  branches: {
    promise: "R26",
    what: "branches of auth, ingest, stores, feed and signing that no test takes",
    file: "faults/branches.test.ts",
    atMost: 5,
    unit: "%",
  },
  fuzzMemory: {
    promise: "R22",
    what: "growth of memory in the last quarter of the fuzzing",
    file: "fuzz.test.ts",
    atMost: 10,
    unit: "%",
  },
} satisfies Record<string, Limit>;

export type CountName = keyof typeof counts;
export type LimitName = keyof typeof limits;

export const scale = (process.env.SVC_TEST_SCALE ?? "suite") as Scale;

/** How often this run tries it, in one of the places that it is spread over. */
export function times(name: CountName): number {
  const count: Count = counts[name];
  return Math.ceil(count[scale] / (count.over ?? 1));
}

interface Note {
  name: string;
  count?: number;
  value?: number;
  all?: true;
}

/** Files of tests run in processes of their own, so what they reached is gathered in a file. */
const place = process.env.SVC_TEST_REACHED;
const note = (one: Note): void => void (place && appendFileSync(place, `${JSON.stringify(one)}\n`));

/** How many times it held. */
export const reached = (name: CountName, count = 1): void => note({ name, count });

/** In one of the places that it is spread over, there were no more to try. */
export const triedAll = (name: CountName): void => note({ name, all: true });

/** It took so much. */
export const measured = (name: LimitName, value: number): void => note({ name, value });

/** Test files that have a number here, beside those of test/faults. */
export const provingFiles = (): string[] => [
  ...new Set(
    [...Object.values<Count>(counts), ...Object.values<Limit>(limits)]
      .map(({ file }) => file)
      .filter((file) => !/^faults\//.test(file)),
  ),
];

const figure = (value: number): string => value.toLocaleString("en-US").replaceAll(",", " ");

/** Promise → reached / promised, of what the run noted there. */
export function reachedTable(notes: string): string {
  const lines = existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n").filter(Boolean) : [];
  const noted = Map.groupBy(
    lines.map((line): Note => JSON.parse(line)),
    ({ name }) => name,
  );
  const countRows = Object.entries<Count>(counts).map(([name, { promise, what, full, over = 1 }]) => {
    const notes = noted.get(name) ?? [];
    const sum = notes.reduce((total, { count = 0 }) => total + count, 0);
    const isAll = notes.filter(({ all }) => all).length === over;
    return [
      promise,
      what,
      `${figure(sum)} / ${figure(full)}`,
      sum >= full ? "" : isAll ? "all there are" : sum ? "bounded" : "not run",
    ];
  });
  const limitRows = Object.entries<Limit>(limits).map(([name, { promise, what, atMost, unit }]) => {
    const values = (noted.get(name) ?? []).map(({ value = 0 }) => value);
    const most = Math.max(...values);
    const text = values.length
      ? `${figure(Math.ceil(most))} ≤ ${figure(atMost)} ${unit}`
      : `– ≤ ${figure(atMost)} ${unit}`;
    return [promise, what, text, !values.length ? "not run" : most > atMost ? "MISSED" : ""];
  });
  const suiteRows = Object.entries(keptInSuite).map(([promise, [file, words]]) => [
    promise,
    words,
    "in every suite",
    file,
  ]);
  const openRows = Object.entries(unproven).map(([promise, why]) => [promise, why, "not proven", ""]);
  const rows = [...countRows, ...limitRows, ...suiteRows, ...openRows].toSorted(
    (a, b) => Number(a[0]?.slice(1)) - Number(b[0]?.slice(1)),
  );
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const named = Object.values(cases).flat().length;
  const table = rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
  return `${table}\n${Object.keys(cases).length} cases with ${named} tests, see test/faults/cases.ts`;
}
