/**
 * `bun run bench [name …]`: measures svc against plain programs in the same run and prints the ratios.
 * `--page` writes them to `measurements.md`. Numbers are the log sizes for `growth`
 * and `growth-postgres`; `--mix=forge` names the kinds of events for `feed` and `append`.
 */
import { join } from "node:path";
import { build } from "../../cli/build/build.ts";
import { measureAppend } from "./append/append.ts";
import { measureAppendNodes } from "./append/append-nodes.ts";
import { measureBytes } from "./append/bytes.ts";
import { measureTelemetry } from "./append/telemetry.ts";
import { measureWebhooks } from "./append/webhooks.ts";
import { measureAssets } from "./assets/assets.ts";
import { measureDownload } from "./assets/download.ts";
import { measurePush } from "./assets/push.ts";
import { measureUpload } from "./assets/upload.ts";
import { measureUploads } from "./assets/uploads.ts";
import { measureFeed } from "./feed/feed.ts";
import { measureProjects } from "./feed/projects.ts";
import { measureRecall } from "./feed/recall.ts";
import { measureTail } from "./feed/tail.ts";
import { measureGrowth, measureGrowthOnPostgres } from "./growth/growth.ts";
import { measureSoak } from "./growth/soak.ts";
import { measureMcp } from "./mcp/mcp.ts";
import { heads, openPlace, type Place, type Result, rowOf } from "./measuring/measure.ts";
import { isMix, mixes, usualMix } from "./measuring/mixes.ts";
import { pageOfNumbers } from "./page-of-numbers.ts";
import { measurePage } from "./pages/page.ts";
import { measurePageTimes } from "./pages/page-times.ts";
import { measureViews } from "./pages/views.ts";
import { measureHelp } from "./startup/help.ts";
import { measureIdle } from "./startup/idle.ts";
import { measureStart } from "./startup/start.ts";

const measurements = {
  help: measureHelp,
  start: measureStart,
  idle: measureIdle,
  feed: measureFeed,
  projects: measureProjects,
  append: measureAppend,
  "append-nodes": measureAppendNodes,
  bytes: measureBytes,
  tail: measureTail,
  telemetry: measureTelemetry,
  webhooks: measureWebhooks,
  mcp: measureMcp,
  page: measurePage,
  "page-times": measurePageTimes,
  views: measureViews,
  recall: measureRecall,
  assets: measureAssets,
  // Before the large ones: what these leave to the disk slows down what is synced next.
  uploads: measureUploads,
  push: measurePush,
  upload: measureUpload,
  download: measureDownload,
  growth: measureGrowth,
  "growth-postgres": measureGrowthOnPostgres,
  soak: measureSoak,
};
type Name = keyof typeof measurements;

/** These take long: they are measured where they are named. */
const long: readonly string[] = ["append-nodes", "soak", "growth", "growth-postgres"] satisfies Name[];

const pagePath = join(import.meta.dir, "measurements.md");

const given = process.argv.slice(2);
const isSize = (word: string): boolean => /^\d+$/.test(word);
const names = given.filter((name) => !name.startsWith("--") && !isSize(name));
const sizes = given.filter(isSize).map(Number);
const unknown = names.find((name) => !Object.hasOwn(measurements, name));
if (unknown !== undefined) {
  process.stderr.write(
    `bench: there is no measurement ${unknown}; there are ${Object.keys(measurements).join(", ")}\n`,
  );
  process.exit(2);
}

const mix = given.find((name) => name.startsWith("--mix="))?.slice("--mix=".length) ?? usualMix;
if (!isMix(mix)) {
  process.stderr.write(`bench: there is no mix ${mix}; there are ${Object.keys(mixes).join(", ")}\n`);
  process.exit(2);
}

const sections: { name: string; results: Result[] }[] = [];
const open = new Set<Place>();
const closeAll = () => Promise.all([...open].map((place) => place.close()));
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => closeAll().then(() => process.exit(1)));
try {
  if (process.platform !== "linux" || !Bun.which("wrk"))
    throw new Error("The benchmarks need Linux, which counts CPU in /proc, and wrk: apt-get install wrk");
  const built = openPlace();
  open.add(built);
  const svc = await build({ outfile: built.path("svc"), commit: "bench" });
  for (const name of (names.length
    ? names
    : Object.keys(measurements).filter((name) => !long.includes(name))) as Name[]) {
    process.stderr.write(`measuring ${name} …\n`);
    // Of its own, so that no server of one measurement runs on beside the next.
    const place = openPlace();
    open.add(place);
    const results = await measurements[name](place, svc, { mix, ...(sizes.length > 1 && { sizes }) });
    await place.close();
    open.delete(place);
    sections.push({ name, results });
    say(results.map(rowOf));
  }
} finally {
  await closeAll();
}
if (given.includes("--page")) {
  const page = await Bun.file(pagePath).text();
  await Bun.write(pagePath, pageOfNumbers(page, sections, new Date().toISOString().slice(0, 10)));
}

/** Printed immediately: a long benchmark should show its progress. */
function say(rows: string[][]): void {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => (row[column] as string).length)),
  );
  for (const row of [heads, ...rows])
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join("  ")
        .trimEnd()}\n`,
    );
}
