/** `bun run bench [help] [start] [feed] [append] [tail] [mcp] [page] [recall] [assets] [upload] [uploads] [download]`: measures svc against plain programs in the same run and prints the ratios. */
import { build } from "../../cli/build.ts";
import { measureAppend } from "./append.ts";
import { measureAssets } from "./assets.ts";
import { measureDownload } from "./download.ts";
import { measureFeed } from "./feed.ts";
import { measureHelp } from "./help.ts";
import { measureMcp } from "./mcp.ts";
import { openPlace, type Result } from "./measure.ts";
import { measurePage } from "./page.ts";
import { measureRecall } from "./recall.ts";
import { measureStart } from "./start.ts";
import { measureTail } from "./tail.ts";
import { measureUpload } from "./upload.ts";
import { measureUploads } from "./uploads.ts";

const measurements = {
  help: measureHelp,
  start: measureStart,
  feed: measureFeed,
  append: measureAppend,
  tail: measureTail,
  mcp: measureMcp,
  page: measurePage,
  recall: measureRecall,
  assets: measureAssets,
  upload: measureUpload,
  uploads: measureUploads,
  download: measureDownload,
};
type Name = keyof typeof measurements;

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(measurements, name));
if (unknown !== undefined) {
  process.stderr.write(`bench: there is no measurement ${unknown}; there are ${Object.keys(measurements).join(", ")}\n`);
  process.exit(2);
}

const results: Result[] = [];
const place = openPlace();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => place.close().then(() => process.exit(1)));
try {
  const svc = await build({ outfile: place.path("svc"), commit: "bench" });
  for (const name of (asked.length ? asked : Object.keys(measurements)) as Name[]) {
    process.stderr.write(`measuring ${name} …\n`);
    results.push(...(await measurements[name](place, svc)));
  }
} finally {
  await place.close();
}

const heads = ["measure", "svc", "plain program", "ratio", "aim", "reached"];
const rows = results.map(({ measure, svc, ceiling, ratio, aim, reached }) => [
  ...[measure, svc, ceiling, `${ratio.toFixed(2)} x`, aim],
  aim === "none" ? "" : reached ? "yes" : "NO",
]);
const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => (row[column] as string).length)));
for (const row of [heads, ...rows])
  process.stdout.write(
    `${row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd()}\n`,
  );
