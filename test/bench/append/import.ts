/**
 * `svc event import` of a log of all kinds and 1,000 projects, into SQLite and into a Postgres 2 ms away: what
 * an event takes of a core, of time, and of the disk.
 */
import { rm } from "node:fs/promises";
import { copyDatabase } from "../measuring/copied-database.ts";
import { sizeOfFile } from "../measuring/database-size.ts";
import { importedProjects, lineOf } from "../measuring/import-lines.ts";
import { median, type Place, type Result, waitForTurn } from "../measuring/measure.ts";
import { createDatabase, withData } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";
import { openDelayedLine } from "./delayed-line.ts";

const eventCount = 100_000;
const rounds = 3;
const roundTripMs = 2;
/** Of an event: 20,000 a second of one core, and 10,000 a second of Postgres. */
const microsMax = { SQLite: 50, Postgres: 100 };
const bytesMax = 1_100;

interface Import {
  /** Microseconds of CPU of the command for each event, and of time. */
  cpu: number;
  time: number;
  /** On disk, for each event; of SQLite. */
  bytes?: number;
}

export async function measureImport(place: Place, svc: string): Promise<Result[]> {
  const path = place.path("log.ndjson");
  await Bun.write(
    path,
    Array.from({ length: eventCount }, (_, index) => `${lineOf(index)}\n`),
  );

  async function load(url: string): Promise<Import> {
    await waitForTurn();
    const startedAt = performance.now();
    const child = Bun.spawn([svc, "event", "import", path, "--quiet"], {
      env: { SVC_DATABASE_URL: url, SVC_DATA_DIR: place.path("import") },
      stdio: ["ignore", "ignore", "inherit"],
    });
    if ((await child.exited) !== 0) throw new Error("svc event import failed");
    const cpu = Number(child.resourceUsage()?.cpuTime.total);
    return { cpu: cpu / eventCount, time: ((performance.now() - startedAt) * 1_000) / eventCount };
  }

  async function intoSqlite(): Promise<Import> {
    const path = place.path("import/svc.db");
    await copyDatabase(path, "linked", (source) => linkProjects(`sqlite:${source}`));
    const taken = await load(`sqlite:${path}`);
    const { bytes } = sizeOfFile(path);
    await rm(place.path("import"), { recursive: true });
    return { ...taken, bytes: bytes / eventCount };
  }

  async function intoPostgres(server: string, port: number, round: number): Promise<Import> {
    const url = new URL(await createDatabase(server, `import_${round}`, "linked"));
    url.port = `${port}`;
    return load(url.href);
  }

  const [sqlite, postgres]: [Import[], Import[]] = [[], []];
  const server = await place.startPostgres({ durable: true });
  await linkProjects(await createDatabase(server.url, "linked"));
  const { port } = await openDelayedLine(place, Number(new URL(server.url).port), roundTripMs / 2);
  for (let round = 0; round < rounds; round++) {
    sqlite.push(await intoSqlite());
    postgres.push(await intoPostgres(server.url, port, round));
  }
  const row = (measure: Measure, found: Import[], of: keyof Import, max: number, unit: string) => {
    const amount = median(found.map((one) => one[of] ?? 0));
    return resultOf(measure, `${Math.round(amount)} ${unit}`, `${max} ${unit}`, amount / max, amount);
  };
  return [
    row("import of all kinds into SQLite, an event", sqlite, "cpu", microsMax.SQLite, "µs CPU"),
    row("import of all kinds into Postgres 2 ms away, an event", postgres, "time", microsMax.Postgres, "µs"),
    row("bytes for an imported event of all kinds, on SQLite", sqlite, "bytes", bytesMax, "bytes"),
  ];
}

const linkProjects = (url: string): Promise<void> =>
  withData(url, (data) =>
    data.atomically(async (writes) => {
      for (const link of importedProjects) await writes.linkProject(link, 1);
    }),
  );
