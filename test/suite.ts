/**
 * `bun run test [file …]` and `bun run test:faults [--full] [file …]`: a real Postgres and a fresh executable
 * around `bun test`.
 *
 * The long proofs come in three sizes, see test/faults/promises.ts: small in the suite, bounded with
 * `--faults`, and as long as is promised with `--full`; the size is SVC_TEST_SCALE, the code is the same. A
 * run of proofs ends with what it reached.
 */
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { provingFiles, reachedTable, type Scale } from "./faults/promises.ts";
import { hasPackaged, unpackOnce } from "./support/browser/packaged.ts";
import { startPostgres } from "./support/database/postgres.ts";
import { pathWithoutHelpers } from "./support/helper-path.ts";
import { memoryFolder } from "./support/memory-folder.ts";
import { workerSettings } from "./support/runtime-settings.ts";
import { unmount } from "./support/stores/small-disk.ts";
import { combineReports, readTestReport, type TestReport } from "./support/test-report.ts";

const root = dirname(import.meta.dir);
const given = process.argv.slice(2).filter((argument) => argument !== "--faults" && argument !== "--full");
const faults = given.length < process.argv.length - 2;
const scale: Scale = process.argv.includes("--full") ? "full" : faults ? "bounded" : "suite";

/**
 * Files run side by side, more than there are cores, as many tests wait; and as many as the connections of
 * one Postgres allow.
 */
const workers = Math.min(6, availableParallelism() + 4);

/**
 * A test that fails beside five others and passes alone, each time, was short of processor time, or shares
 * something with them: it is named at the end, and passes. More failed files than this are no accident.
 */
const filesToRepeat = 5;
const repeats = 3;

/** How long each file took the last time: the slowest start first, so that none is left for the end. */
const timings = join(root, "node_modules/.cache/svc-test-timings.json");
/** Those of the slowest files, for the first run of a clone; a copy of the file above, now and then. */
const firstTimings = join(root, "test/support/timings.json");

/** What has to be undone, last first, however this ends. */
const undo: (() => Promise<unknown>)[] = [];
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => stopped.abort(signal));

let exitCode = 1;
try {
  exitCode = await runSuite();
} catch (error) {
  process.stderr.write(
    `${stopped.signal.aborted ? `stopped by ${stopped.signal.reason}` : (error as Error).message}\n`,
  );
} finally {
  for (const work of undo.reverse()) await work();
}
process.exit(exitCode);

async function runSuite(): Promise<number> {
  // Proofs about crashes need a disk; all others are faster without.
  const place = (!faults && (await memoryFolder())) || tmpdir();
  await removeLeftovers(place);
  const folder = await mkdtemp(join(place, `svc-suite-${process.pid}-`));
  undo.push(() => removeFolder(folder));
  await chmod(folder, 0o711); // some tests run programs as another user
  const parts = [database(folder), executable(join(folder, "svc")), browser()];
  const [databaseUrl, binary, chromium] = (await Promise.allSettled(parts)).map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  const files =
    given.length > 0
      ? given
      : faults
        ? ["./test/faults/", ...provingFiles().map((file) => `./test/${file}`)]
        : [];
  // No test takes long, but a machine may do ten other things; a test that hangs ends all the same.
  // Without isolation, a worker loads the app and the browser driver once for all of its files.
  const sideBySide = [`--parallel=${workers}`, "--no-isolate", `--timings=${timings}`, "--update-timings"];
  const flags = faults ? ["--timeout=3600000"] : ["--timeout=240000", ...sideBySide];
  await mkdir(dirname(timings), { recursive: true });
  if (!existsSync(timings)) await copyFile(firstTimings, timings);
  const notes = join(folder, "reached.ndjson");
  const environment = {
    ...(databaseUrl && { SVC_TEST_DATABASE_URL: databaseUrl }),
    SVC_TEST_SCALE: scale,
    // On a server of others, no filled database stays.
    ...(!process.env.SVC_TEST_DATABASE_URL && { SVC_TEST_OWN_POSTGRES: "1" }),
    PATH: await pathWithoutHelpers(folder),
    SVC_TEST_MACHINE_PATH: process.env.PATH ?? "",
    ...(faults ? { SVC_TEST_SEED: seedOfFaults() } : workerSettings),
    TMPDIR: folder,
    ...(faults && { SVC_TEST_REACHED: notes }),
    ...(binary && { SVC_TEST_BINARY: binary }),
    ...(chromium && { SVC_TEST_BROWSER: chromium }),
  };
  const runTests = async (...words: string[]): Promise<TestReport & { code: number }> => {
    const path = join(folder, "report.xml");
    await rm(path, { force: true });
    const reporter = ["--reporter=junit", `--reporter-outfile=${path}`];
    // Programs that tests started must not outlive a suite that is stopped half-way.
    const code = await run([process.execPath, "--no-orphans", "test", ...reporter, ...words], environment);
    return { code, ...readTestReport(path) };
  };
  const report = await runTests(...flags, ...files);
  if (faults) process.stdout.write(`\n${reachedTable(notes)}\n`);
  const repeated = report.failedFiles;
  if (faults || repeated.length === 0 || repeated.length > filesToRepeat) return closeWith(report);
  process.stdout.write(`\nOnce more, one file after the other: ${repeated.join(" ")}\n`);
  const again = ["--timeout=240000", `--rerun-each=${repeats}`];
  const second = await runTests(...again, ...repeated.map((file) => `./${file}`));
  const combined = combineReports(report, second);
  if (combined.passedAlone.length > 0)
    process.stdout.write(`\nFailed beside other files, passed alone: ${combined.passedAlone.join(" ")}\n`);
  return closeWith({ ...combined, code: second.code });
}

/** Ends with the counts. @returns the exit code */
function closeWith({ passed, failed, code }: TestReport & { code: number }): number {
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  return code;
}

/** SVC_TEST_SEED, or a new one, printed so that the run can be repeated. */
function seedOfFaults(): string {
  const seed = process.env.SVC_TEST_SEED ?? `${Date.now() % 2 ** 31}`;
  process.stdout.write(`SVC_TEST_SEED=${seed}\n`);
  return seed;
}

/** Of suites that were killed. */
async function removeLeftovers(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const [, owner] = /^svc-suite-(\d+)-/.exec(name) ?? [];
    if (owner && !isRunning(Number(owner))) await removeFolder(join(place, name));
  }
}

/** Removes the folder of a suite, with the disks that a test which was killed left mounted in it. */
async function removeFolder(folder: string): Promise<void> {
  const mounts = existsSync("/proc/mounts") ? await readFile("/proc/mounts", "utf8") : "";
  for (const [, place = ""] of mounts.matchAll(/^\S+ (\S+)/gm))
    if (place.startsWith(`${folder}/`)) await unmount(place);
  await rm(folder, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === "EPERM"; // another user's
  }
}

async function database(place: string): Promise<string> {
  const theirs = process.env.SVC_TEST_DATABASE_URL;
  if (theirs) return theirs;
  const postgres = await startPostgres({ durable: faults, place });
  undo.push(() => postgres.stop());
  stopped.signal.throwIfAborted();
  return postgres.url;
}

/** The executable under test; the stories of the tests are told with it. */
async function executable(outfile: string): Promise<string | null> {
  const build = join(root, "cli/build/build.ts");
  if (!existsSync(build)) return null;
  if ((await run([process.execPath, build, "--outfile", outfile])) !== 0)
    throw new Error("the executable could not be built");
  return outfile;
}

/** The packaged browser. Null if the tests use another one. */
async function browser(): Promise<string | null> {
  return process.env.SVC_TEST_BROWSER || !hasPackaged ? null : unpackOnce();
}

async function run(command: string[], environment: Record<string, string> = {}): Promise<number> {
  stopped.signal.throwIfAborted();
  const child = Bun.spawn(command, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const stop = () => child.kill("SIGTERM");
  stopped.signal.addEventListener("abort", stop);
  const code = await child.exited;
  stopped.signal.removeEventListener("abort", stop);
  stopped.signal.throwIfAborted();
  return code;
}
