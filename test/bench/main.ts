/**
 * `bun run bench [name …]`: measures svc against plain programs in the same run and prints the ratios.
 * `--page` writes them to `measurements.md`. `--against <commit>` compares this tree with a commit instead, and fails
 * if something got slower. Numbers are the log sizes for `growth` and those beside it, and how many sessions for
 * `agents`; `--mix=forge` names the kinds of events for `feed` and `append`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "../../cli/build/build.ts";
import { compareWith } from "./against/against.ts";
import { begin, isName, measurements, usualNames } from "./measurements.ts";
import {
  closePlaces,
  heads,
  type Options,
  openPlace,
  printRows,
  type Result,
  rowOf,
} from "./measuring/measure.ts";
import { isMix, mixes, usualMix } from "./measuring/mixes.ts";
import { pageOfNumbers } from "./page-of-numbers.ts";

const pagePath = join(import.meta.dir, "measurements.md");

const { values, positionals } = parseArgs({
  options: {
    page: { type: "boolean", default: false },
    against: { type: "string" },
    mix: { type: "string", default: usualMix },
  },
  allowPositionals: true,
});
const isSize = (word: string): boolean => /^\d+$/.test(word);
const sizes = positionals.filter(isSize).map(Number);
const given = positionals.filter((word) => !isSize(word));
const { mix } = values;
if (!isMix(mix)) fail(`there is no mix ${mix}; there are ${Object.keys(mixes).join(", ")}`);
const names = (given.length > 0 ? given : usualNames).map((name) =>
  isName(name)
    ? name
    : fail(`there is no measurement ${name}; there are ${Object.keys(measurements).join(", ")}`),
);
const options: Options = { mix, ...(sizes.length > 0 && { sizes }) };

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => closePlaces().then(() => process.exit(1)));
try {
  if (process.platform !== "linux" || !Bun.which("wrk"))
    fail("the benchmarks need Linux, which counts CPU in /proc, and wrk: apt-get install wrk");
  if (values.against === undefined) await measureAll();
  else if (!(await compareWith(openPlace(), values.against, names, options))) process.exitCode = 1;
} finally {
  await closePlaces();
}

/** What fails, as a program for it is missing, does not keep the others from being measured. */
async function measureAll(): Promise<void> {
  const sections: { name: string; results: Result[] }[] = [];
  const waiting: Promise<void>[] = [];
  const svc = await build({ outfile: openPlace().path("svc"), commit: "bench" });
  const begunAt = performance.now();
  const secondsSince = (time: number) => Math.round((performance.now() - time) / 1000);
  for (const name of names) {
    const section = { name, results: [] as Result[] };
    sections.push(section);
    const finish = (results: Result[]) => {
      section.results = results;
      printRows(heads, results.map(rowOf));
    };
    const tell = (error: Error) => {
      process.exitCode = 1;
      process.stderr.write(`${name} was not measured: ${error.message}\n`);
    };
    const startedAt = performance.now();
    process.stderr.write(`measuring ${name} …\n`);
    const begun = await begin(name, svc, options).catch(tell);
    process.stderr.write(`${name} took ${secondsSince(startedAt)} s\n`);
    if (Array.isArray(begun)) finish(begun);
    else if (begun) waiting.push(begun.results.then(finish, tell));
  }
  await Promise.all(waiting);
  process.stderr.write(`all took ${secondsSince(begunAt)} s\n`);
  if (!values.page || process.exitCode === 1) return;
  const page = await Bun.file(pagePath).text();
  await Bun.write(pagePath, pageOfNumbers(page, sections, new Date().toISOString().slice(0, 10)));
}

function fail(message: string): never {
  process.stderr.write(`bench: ${message}\n`);
  process.exit(2);
}
