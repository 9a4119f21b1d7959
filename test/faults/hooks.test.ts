/** Hooks are reported once each, whatever happens to the server and to the sender. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
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
import { type HookMachine, openHookMachine, sessionHook } from "../support/hook-machine.ts";
import { freePort } from "../support/proxy.ts";

const calls = scaled(40, 1_000);
const callers = 2;

let database: TestDatabase;
let machine: HookMachine;
let port: number;

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

/** Calls the hook for as many sessions, a few at a time. @param during called before each */
async function callHooks(during: (number: number) => unknown = () => {}): Promise<void> {
  const times: number[] = [];
  let next = 0;
  const caller = async () => {
    for (let number = next++; number < calls; number = next++) {
      await during(number);
      const { code, errors, ms } = await machine.hook(sessionHook(`s${number}`, "SessionStart"));
      expect([code, errors]).toEqual([0, ""]);
      times.push(ms);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  if (scaled(false, true)) report(times.toSorted((a, b) => a - b));
}

function report(times: number[]): void {
  const at = (share: number) =>
    must(times[Math.min(times.length - 1, Math.floor(share * times.length))]).toFixed(1);
  process.stderr.write(`hook, ms: median ${at(0.5)}, 90 % ${at(0.9)}, 99 % ${at(0.99)}, slowest ${at(1)}\n`);
}

/** Waits for the sender, and checks that every session began exactly once. */
async function expectEachOnce(): Promise<void> {
  await machine.drained();
  const rows = await rowsOf(database.url, "select run_id from events where kind = 'run.started'");
  const sessions = Array.from({ length: calls }, (_, number) => `s${number}`);
  expect(rows.map(({ run_id }) => run_id).toSorted()).toEqual(sessions.toSorted());
  expect(machine.status()).toMatchObject({ dropped: 0, refused: 0 });
}

const connect = (to = port) => machine.connect(`http://127.0.0.1:${to}`, programToken);

test("with the server up", async () => {
  await using _server = await serve();
  connect();
  await callHooks();
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
  await callHooks();
  await expectEachOnce();
});

test("with the server down until the end", async () => {
  connect();
  await callHooks();
  await using _server = await serve();
  await expectEachOnce();
});

test("with the server killed and started again", async () => {
  let server = await serve();
  connect();
  await callHooks(async (number) => {
    if (number % Math.ceil(calls / 8) !== 5) return;
    await server.kill();
    if (number % 2) await until(() => machine.waiting().length > 0 || machine.sender() === null, "a report");
    server = await serve();
  });
  await expectEachOnce();
  await server.close();
});

test("with the sender killed at any moment", async () => {
  await using _server = await serve();
  connect();
  const killSender = () => {
    const pid = machine.sender();
    try {
      if (pid) process.kill(pid, "SIGKILL");
    } catch {} // it has ended
  };
  await callHooks(async () => {
    await Bun.sleep(Math.random() * 20);
    killSender();
  });
  await machine.hook(sessionHook("s0", "SessionStart")); // a hook that was called again starts a sender
  await expectEachOnce();
});
