/**
 * Hooks are reported once each, whatever happens to the server, to the sender and to the hooks. The long run
 * prints what a call takes, and compares its CPU time with that of an executable that does nothing.
 */
import { afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSenderAlive } from "../../cli/agents/spool/sender-lock.ts";
import { openData } from "../../db/open.ts";
import { type HookMachine, openHookMachine, sessionHook } from "../support/agents/hook-machine.ts";
import {
  link,
  migratedDatabase,
  must,
  programToken,
  rowsOf,
  type Server,
  scaled,
  startServer,
  type TestDatabase,
  until,
} from "../support/harness.ts";
import { emptyExecutable, type ProcessTimes, quantile, timesLine } from "../support/process-times.ts";
import { freePort } from "../support/servers/proxy.ts";

const isLong = scaled(false, true);

const calls = scaled(12, 1_000);
/** An agent waits for one hook before it calls the next: what is measured is called one at a time. */
const callers = scaled(2, 1);
/** How many times the CPU of an executable that does nothing a hook may take. Measured: 1.7 to 2.3. */
const cpuFactorMax = 3;

let database: TestDatabase;
let machine: HookMachine;
let port: number;
let runEmpty: () => Promise<ProcessTimes>;

beforeAll(async () => {
  if (isLong) runEmpty = await emptyExecutable(await mkdtemp(join(tmpdir(), "svc-empty-")));
});
beforeEach(async () => {
  [database, machine, port] = await Promise.all([migratedDatabase("sqlite"), openHookMachine(), freePort()]);
  const data = await openData(database.url, { now: () => Date.now() * 1000, log() {}, connections: 1 });
  await link(data, "atlas");
  await data.close();
});
afterEach(async () => {
  await machine.close();
  await database.close();
});

const serve = (): Promise<Server> => startServer(database, {}, ["--port", String(port)]);

interface Calls {
  /** Called before each. */
  before?: (number: number) => unknown;
  /** When to kill a hook; undefined: not. */
  killAfterMs?: () => number;
}

/**
 * Calls the hook for as many sessions.
 * @returns the sessions whose hook ended as it should; the others were killed
 */
async function callHooks(mode: string, { before, killAfterMs }: Calls = {}): Promise<string[]> {
  const [hooks, empty]: [ProcessTimes[], ProcessTimes[]] = [[], []];
  const reported: string[] = [];
  let next = 0;
  const caller = async () => {
    for (let number = next++; number < calls; number = next++) {
      await before?.(number);
      if (isLong) empty.push(await runEmpty());
      const session = sessionName(number);
      const call = await machine.hook(sessionHook(session, "SessionStart"), undefined, killAfterMs?.());
      if (call.code === null && killAfterMs) continue;
      expect([call.code, call.errors]).toEqual([0, ""]);
      reported.push(session);
      hooks.push(call);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  if (isLong) reportTimes(mode, hooks, empty);
  return reported;
}

function reportTimes(mode: string, hooks: ProcessTimes[], empty: ProcessTimes[]): void {
  process.stderr.write(timesLine(`svc hook, ${mode}`, hooks) + timesLine("an empty executable", empty));
  const [hook, floor] = [hooks, empty].map((times) =>
    quantile(
      times.map(({ cpuMs }) => cpuMs),
      0.5,
    ),
  );
  expect(must(hook) / must(floor)).toBeLessThan(cpuFactorMax);
}

const sessionName = (number: number): string => `s${number}`;
const sessions = Array.from({ length: calls }, (_, number) => sessionName(number));

/**
 * Waits for the sender, and checks that no session began twice.
 * @param reported those that must have begun
 */
async function expectEachOnce(reported: string[] = sessions): Promise<void> {
  await machine.drained();
  const rows = await rowsOf(database.url, "select run_id from events where kind = 'run.started'");
  const begun = rows.map(({ run_id }) => String(run_id)).toSorted();
  expect(begun).toEqual([...new Set(begun)]);
  expect(reported.filter((session) => !begun.includes(session))).toEqual([]);
  expect(begun.filter((session) => !sessions.includes(session))).toEqual([]);
  expect(machine.status()).toMatchObject({ dropped: 0, refused: 0 });
}

const connect = (to = port) => machine.connect(`http://127.0.0.1:${to}`, programToken);

test("with the server up", async () => {
  await using _server = await serve();
  connect();
  await callHooks("server up");
  await expectEachOnce();
});

test("with a server that is slow, and whose answers are lost", async () => {
  await using _server = await serve();
  let answers = 0;
  using slow = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      await Bun.sleep(200);
      const url = `http://127.0.0.1:${port}${pathname}${search}`;
      const answer = await fetch(url, {
        ...request,
        method: request.method,
        headers: request.headers,
        body: (await request.text()) || null,
      });
      // Every third answer is lost after the server has stored the events.
      const isLost = pathname.endsWith("/events") && answers++ % 3 === 0;
      return isLost ? new Response("", { status: 502 }) : answer;
    },
  });
  connect(slow.port);
  await callHooks("server slow");
  await expectEachOnce();
});

test("with the server down until the end", async () => {
  connect();
  await callHooks("server down");
  await using _server = await serve();
  await expectEachOnce();
});

test("with the server killed in between, and started again", async () => {
  let server: Server | null = await serve();
  connect();
  const kill = async () => {
    await server?.kill();
    server = null;
  };
  const start = async () => {
    server ??= await serve();
  };
  let step = Promise.resolve();
  const every = Math.ceil(calls / 8);
  await callHooks("server killed", {
    before: (number) => {
      const next = { [Math.floor(every / 3)]: kill, [Math.floor((2 * every) / 3)]: start }[number % every];
      if (next) step = step.then(next);
      return next && step;
    },
  });
  await start();
  await expectEachOnce();
  await kill();
});

test("with the sender killed at any moment", async () => {
  await using _server = await serve();
  connect();
  const killSender = async () => {
    await Bun.sleep(Math.random() * 20);
    const pid = machine.sender();
    try {
      if (pid) process.kill(pid, "SIGKILL");
    } catch {} // it has ended
  };
  await callHooks("sender killed", { before: killSender });
  // On a busy machine a killed process takes a while to end, and until then a hook starts no other sender.
  const isOver = () => machine.waiting().length === 0 || !isSenderAlive(machine.spool);
  await until(isOver, "killed senders have ended", 120_000);
  await machine.hook(sessionHook("s0", "SessionStart")); // a hook that was called again starts a sender
  await expectEachOnce();
});

test("with hooks killed at any moment", async () => {
  await using _server = await serve();
  connect();
  const reported = await callHooks("hooks killed", { killAfterMs: () => Math.random() * 30 });
  await machine.hook(sessionHook("s0", "SessionStart")); // also sends what those left that were killed
  await expectEachOnce([...reported, "s0"]);
});
