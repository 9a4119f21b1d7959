/** The commands that add events. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../src/feed/schema.ts";
import { command } from "../support/commands/command.ts";
import {
  freshDatabase,
  shellCommand,
  type TestDatabase,
  temporaryFolder,
  until,
} from "../support/harness.ts";

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await freshDatabase("sqlite");
  env = { SVC_DATABASE_URL: database.url, TZ: "UTC" };
  await svc("project", "link", "atlas", "--repo", "acme/atlas", "--stack", "Bun", "--lanes", "lane_a");
});
afterAll(() => database.close());

const svc = (...args: string[]) => command(args, env);
const add = (kind: string, summary: string, ...more: string[]) =>
  svc("event", "add", "--kind", kind, "--actor", "agent:codex", "--summary", summary, ...more);
const events = (output: string) =>
  output
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);

test("every field of an event is a flag", async () => {
  const fields = {
    issue: 12,
    pr: 13,
    lane: "lane_a",
    model: "m-1",
    subscription: "team",
    tokens_in: 18234,
    tokens_out: 3100,
    cost_equiv: 0.42,
    duration_ms: 192000,
  };
  const flags = Object.entries(fields).flatMap(([field, value]) => [
    `--${field.replaceAll("_", "-")}`,
    String(value),
  ]);
  expect(
    (
      await add(
        "run.finished",
        "Run 7 finished",
        "--repo",
        "ACME/atlas",
        "--url",
        "https://ci.test/7",
        ...flags,
      )
    ).code,
  ).toBe(0);
  const [event] = events((await svc("feed", "--json", "--limit", "1")).output);
  expect(event).toMatchObject({
    kind: "run.finished",
    project: "atlas",
    repo: "ACME/atlas",
    url: "https://ci.test/7",
    ...fields,
  });
});

describe("svc event import", () => {
  const line = (at: number) =>
    JSON.stringify({
      kind: "run.started",
      actor: "runner:ci",
      summary: `Imported ${at}`,
      ts: "2025-05-05T05:05:05Z",
    });

  test("resumes: an invalid line is named, the batches before it stay, and a second run adds the rest once", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "past.ndjson");
    const lines = Array.from({ length: 2200 }, (_, at) => line(at));
    await Bun.write(file, [...lines.slice(0, 2100), '{"kind":"nope"}'].join("\n"));
    const broken = await svc("event", "import", file);
    expect(broken.code).toBe(1);
    expect(broken.errors).toContain("line 2101: ");
    await Bun.write(file, lines.join("\n"));
    expect(JSON.parse((await svc("event", "import", file, "--json")).output)).toMatchObject({
      accepted: 200,
      duplicates: 2000,
    });
    expect(JSON.parse((await svc("event", "import", file, "--json")).output)).toMatchObject({
      accepted: 0,
      duplicates: 2200,
    });
    const listed = events(
      (await svc("feed", "--json", "--actor", "runner:ci", "--after", "2020-01-01T00:00:00Z")).output,
    );
    expect(listed.map((event) => event.summary)).toEqual(lines.map((_, at) => `Imported ${at}`));
  });

  test("reads a pipe, and names the line that is not UTF-8", async () => {
    await using folder = await temporaryFolder();
    const [pipe, file] = [join(folder.path, "pipe"), join(folder.path, "latin1.ndjson")];
    const piped = `mkfifo '${pipe}'; echo '${line(9999)}' > '${pipe}'`;
    const writer = Bun.spawn(["sh", "-c", piped], { stdout: "ignore" });
    await until(() => existsSync(pipe), "there is a pipe");
    expect((await svc("event", "import", pipe)).errors).toContain("Added 1 event");
    await writer.exited;
    await Bun.write(file, Buffer.from(`${line(9999)}\n${line(9998)}é`, "latin1"));
    expect((await svc("event", "import", file)).errors).toBe("svc: line 2: not valid UTF-8\n");
    expect((await svc("event", "import", folder.path)).errors).toContain("is a folder. Name a file in it.");
  });

  test("rejects a time more than five minutes ahead of the clock", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "ahead.ndjson");
    await Bun.write(
      file,
      JSON.stringify({
        kind: "run.started",
        actor: "agent:a",
        summary: "x",
        ts: new Date(Date.now() + 600_000).toISOString(),
      }),
    );
    const { code, errors } = await svc("event", "import", file);
    expect({ code, errors }).toEqual({
      code: 1,
      errors: "svc: line 1: ts is more than five minutes in the future\n",
    });
  });
});

test("a closed pipe is not an error, and a slow pipe receives the whole feed", async () => {
  const count = (command: string) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["bash", "-c", `set -o pipefail; ${command}`], {
      env: { ...process.env, ...env },
    });
    return { output: stdout.toString().trim(), errors: stderr.toString(), exitCode };
  };
  const all = `${shellCommand()} feed --json --after 2020-01-01T00:00:00Z`;
  expect(count(`${all} | head -n 1 | wc -l`)).toEqual({ output: "1", errors: "", exitCode: 0 });
  expect(Number(count(`${all} | (sleep 0.3; wc -l)`).output)).toBeGreaterThanOrEqual(1200);
});
