/** The sender and its spool. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deleteOldBriefs } from "../../../cli/agents/briefs/brief-cache.ts";
import { runSender } from "../../../cli/agents/spool/sender.ts";
import { isSenderAlive, takeSenderLock } from "../../../cli/agents/spool/sender-lock.ts";
import { addToSpool, listSpool } from "../../../cli/agents/spool/spool.ts";
import { reportAttempt, spoolStatus } from "../../../cli/agents/spool/status.ts";
import { must } from "../../support/harness.ts";
import { programCommand, programEnvironment } from "../../support/program.ts";

let folder: string;
const lockPath = () => join(folder, "sender.lock");
/** Of a connection that was removed, so the sender sets it aside without a request. */
const add = (run_id: string) =>
  addToSpool(
    {
      ...{ server: "http://127.0.0.1:9", connection: { agent: "removed", folder: null }, branch: null },
      report: { event: { kind: "run.started", actor: "agent:codex", summary: "s", run_id } },
    },
    folder,
  );

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "svc-sender-")), "svc/spool");
});
afterEach(() => rmSync(join(folder, "../.."), { recursive: true }));

test("drops the oldest reports of a spool that is too long, and counts them", async () => {
  for (const run of ["1", "2", "3", "4", "5"]) add(run);
  await runSender(folder, 3);
  const { dropped, refusals, waiting } = spoolStatus(folder);
  expect([dropped, waiting, refusals.map(({ run_id }) => run_id)]).toEqual([2, 0, ["3", "4", "5"]]);
});

test("sets aside a file that is no report", async () => {
  writeFileSync(add("1"), "{");
  await runSender(folder);
  expect(spoolStatus(folder).refusals.map(({ reason }) => reason)).toEqual(["The file is damaged."]);
  expect(readdirSync(join(folder, "refused"))).toHaveLength(1);
});

describe("among odd files", () => {
  /** A server that takes every report. @param onRequest called with each one's run IDs */
  const openReceiver = (onRequest: (runs: string[]) => void) =>
    Bun.serve({
      port: 0,
      async fetch(request) {
        const { events } = (await request.json()) as { events: { run_id: string }[] };
        onRequest(events.map(({ run_id }) => run_id));
        return Response.json({ accepted: events.length, duplicates: 0 });
      },
    });
  const addTo = ({ url }: { url: URL }, run_id: string) =>
    addToSpool(
      {
        server: url.origin,
        connection: null,
        branch: null,
        report: { event: { kind: "run.started", actor: "agent:codex", summary: "s", run_id } },
      },
      folder,
    );
  /** As a process, since a sender that spins would never give this one the time to fail. */
  const sendUntilEnd = async () => {
    const child = Bun.spawn([...programCommand(), "send-spool"], {
      env: programEnvironment({ XDG_STATE_HOME: join(folder, "../..") }),
      stdio: ["ignore", "ignore", "inherit"],
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    return child.exited;
  };

  test("sends the reports, sets the others aside, and ends", async () => {
    const odd: [reason: string, make: (path: string) => unknown][] = [
      ["It is no file of at most 1 MiB.", (path) => mkdirSync(path)],
      ["It is no file of at most 1 MiB.", (path) => Bun.spawnSync(["mkfifo", path])],
      ["It is no file of at most 1 MiB.", (path) => Bun.spawnSync(["truncate", "-s", "3G", path])],
      ["The file cannot be read (ELOOP).", (path) => symlinkSync("/dev/zero", path)],
    ];
    const whole = { server: "http://127.0.0.1:9", connection: null, branch: null, report: { event: {} } };
    const damaged = ["", "[".repeat(100_000), "null", "{}"].concat(
      [
        { server: "no URL" },
        { connection: 1 },
        { branch: 1 },
        { report: null },
        { report: { event: null } },
        { report: { brief: {} } },
      ].map((fields) => JSON.stringify({ ...whole, ...fields })),
    );
    for (const text of damaged) odd.push(["The file is damaged.", (path) => writeFileSync(path, text)]);
    const received: string[] = [];
    using receiver = openReceiver((runs) => received.push(...runs));
    addTo(receiver, "before");
    for (const [at, [, make]] of odd.entries())
      make(join(folder, `${String(at).padStart(17, "0")}-1-1.json`));
    writeFileSync(join(folder, "no-time.json"), "{");
    addTo(receiver, "after");
    expect(await sendUntilEnd()).toBe(0);
    expect(received).toEqual(["before", "after"]);
    const { waiting, refusals } = spoolStatus(folder);
    expect([waiting, refusals.map(({ reason }) => reason)]).toEqual([0, odd.map(([reason]) => reason)]);
  });

  test("leaves alone, and names once, what it can neither move nor delete", async () => {
    const received: string[] = [];
    using receiver = openReceiver((runs) => {
      received.push(...runs);
      for (const path of paths) {
        rmSync(path, { recursive: true });
        mkdirSync(path);
      }
    });
    const paths = [addTo(receiver, "1")];
    writeFileSync(join(folder, "refused"), "a file where the folder should be");
    mkdirSync(join(folder, ".leftover"));
    utimesSync(join(folder, ".leftover"), 0, 0);
    for (let start = 0; start < 2; start++) expect(await sendUntilEnd()).toBe(0);
    expect(received).toEqual(["1"]);
    expect(spoolStatus(folder).refusals.map(({ reason }) => reason)).toEqual([
      `svc cannot delete ${paths[0]} (ERR_FS_EISDIR). Delete it.`,
      `It is no file of at most 1 MiB. svc cannot move ${paths[0]} (EEXIST). Delete it.`,
    ]);
  });
});

test("does nothing while another one runs", async () => {
  add("1");
  const lock = must(takeSenderLock(folder));
  await runSender(folder);
  expect([listSpool(folder).length, lock.isHeld()]).toEqual([1, true]);
  lock.release();
  await runSender(folder);
  expect([listSpool(folder), isSenderAlive(folder)]).toEqual([[], false]);
});

test.each([
  ["is empty", "", 0],
  ["names a process that has ended", "2147483646 x", 0],
  ["was not touched for long", `${process.pid} x`, 60],
])("takes over a lock that %s", (_, content, secondsOld) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(lockPath(), content);
  const touched = new Date(Date.now() - secondsOld * 1000);
  utimesSync(lockPath(), touched, touched);
  expect(isSenderAlive(folder)).toBe(false);
  must(takeSenderLock(folder)).release();
  expect(readdirSync(folder)).toEqual([]);
});

test("reports the connections of an agent in two folders apart", () => {
  for (const [path, error] of [
    ["/harbor", "away"],
    ["/pier", null],
  ] as const)
    reportAttempt(
      folder,
      { server: "http://127.0.0.1:9", connection: { agent: "codex", folder: path } },
      error,
    );
  const { destinations } = spoolStatus(folder);
  expect(destinations.map(({ connection, error }) => [connection?.folder, error])).toEqual([
    ["/harbor", "away"],
    ["/pier", null],
  ]);
});

test("has no briefs to delete where a token may not fetch any", () => {
  const { XDG_STATE_HOME } = process.env;
  process.env.XDG_STATE_HOME = join(folder, "nowhere");
  try {
    expect(deleteOldBriefs).not.toThrow();
  } finally {
    if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
  }
});

test("lists reports in the order in which they were added, and no file that is half written", () => {
  const paths = ["1", "2", "3"].map(add);
  writeFileSync(join(folder, ".00001-1-1.json"), "{");
  expect(listSpool(folder).map((name) => join(folder, name))).toEqual(paths);
});
