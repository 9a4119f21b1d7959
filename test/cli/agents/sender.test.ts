/** The sender and its spool, without a server. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deleteOldBriefs } from "../../../cli/agents/briefs/brief-cache.ts";
import { runSender } from "../../../cli/agents/spool/sender.ts";
import { isSenderAlive, takeSenderLock } from "../../../cli/agents/spool/sender-lock.ts";
import { addToSpool, listSpool } from "../../../cli/agents/spool/spool.ts";
import { spoolStatus } from "../../../cli/agents/spool/status.ts";
import { must } from "../../support/harness.ts";

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
  folder = join(mkdtempSync(join(tmpdir(), "svc-sender-")), "spool");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

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
  mkdirSync(folder);
  writeFileSync(lockPath(), content);
  const touched = new Date(Date.now() - secondsOld * 1000);
  utimesSync(lockPath(), touched, touched);
  expect(isSenderAlive(folder)).toBe(false);
  must(takeSenderLock(folder)).release();
  expect(readdirSync(folder)).toEqual([]);
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
