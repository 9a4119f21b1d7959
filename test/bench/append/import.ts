/**
 * `svc event import` of a log of all kinds and 1,000 projects, into SQLite and into a Postgres 2 ms away: what
 * an event takes of a core, of time, and of the disk.
 */
import { rm } from "node:fs/promises";
import { startPostgres } from "../../support/database/postgres.ts";
import { sizeOfFile } from "../measuring/database-size.ts";
import { importedProjects, lineOf } from "../measuring/import-lines.ts";
import { median, type Place, type Result } from "../measuring/measure.ts";
import { createDatabase, sqliteUrl, withData } from "../measuring/svc.ts";
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
    const url = sqliteUrl(place, "import");
    await linkProjects(url);
    const taken = await load(url);
    const { bytes } = sizeOfFile(url.slice("sqlite:".length));
    await rm(place.path("import"), { recursive: true });
    return { ...taken, bytes: bytes / eventCount };
  }

  async function intoPostgres(server: string, port: number, round: number): Promise<Import> {
    const database = await createDatabase(server, `import_${round}`);
    await linkProjects(database);
    const url = new URL(database);
    url.port = `${port}`;
    return load(url.href);
  }

  const [sqlite, postgres]: [Import[], Import[]] = [[], []];
  const server = await startPostgres({ durable: true });
  try {
    const { port } = await openDelayedLine(place, Number(new URL(server.url).port), roundTripMs / 2);
    for (let round = 0; round < rounds; round++) {
      sqlite.push(await intoSqlite());
      postgres.push(await intoPostgres(server.url, port, round));
    }
  } finally {
    await server.stop();
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
