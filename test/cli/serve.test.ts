/** `svc serve` as a process: the port it binds, and unhandled errors. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  event,
  freshDatabase,
  programToken,
  runProgram,
  startServer,
  temporaryFolder,
  until,
} from "../support/harness.ts";

test("a port that is in use is one line on standard error and exit code 1", async () => {
  await using first = await freshDatabase("sqlite");
  await using second = await freshDatabase("sqlite");
  await using server = await startServer(first);
  const { port } = new URL(server.origin);
  await using refused = runProgram(["serve", "--port", port], { SVC_DATABASE_URL: second.url });
  await until(
    () => refused.process.exitCode !== null || refused.output() !== "",
    "the process exits or starts",
  );
  expect([refused.output(), await refused.ended]).toEqual(["", 1]);
  expect(refused.errors()).toBe(
    `svc: Port ${port} on 127.0.0.1 is already in use. Stop the other process, or choose another port with --port.\n`,
  );
});

test("an address that this machine does not have is one line on standard error and exit code 1", async () => {
  await using database = await freshDatabase("sqlite");
  await using refused = runProgram(["serve", "--host", "203.0.113.9", "--port", "0"], {
    SVC_DATABASE_URL: database.url,
  });
  await until(
    () => refused.process.exitCode !== null || refused.output() !== "",
    "the process exits or starts",
  );
  expect([refused.output(), await refused.ended]).toEqual(["", 1]);
  expect(refused.errors()).toBe(
    "svc: Cannot bind to 203.0.113.9: this machine has no such address. Choose another host with --host.\n",
  );
});

test("an unhandled rejection and a timer that throws are logged and counted, and the server keeps serving", async () => {
  await using database = await freshDatabase("sqlite");
  await using folder = await temporaryFolder();
  const fault = join(folder.path, "fault.js");
  await Bun.write(
    fault,
    `process.on("SIGUSR2", () => {
       setTimeout(() => { throw new Error("a timer threw"); });
       Promise.reject(new Error("a promise was rejected"));
       (async () => { throw null; })();
     });`,
  );
  await using server = await startServer(database, { BUN_OPTIONS: `--preload ${fault}` });
  const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
  for (const _ of [1, 2]) {
    server.process.kill("SIGUSR2");
    const lines = () =>
      server
        .errors()
        .split("\n")
        .filter((line) => line.includes("unhandled error"));
    const before = lines().length;
    await until(() => lines().length >= before + 3 || server.process.exitCode !== null, "all are logged");
  }
  expect(server.errors()).toContain("a timer threw");
  expect(server.errors()).toContain("a promise was rejected");
  const body = JSON.stringify({ events: [event()] });
  expect((await fetch(`${server.origin}/api/v1/events`, { method: "POST", headers, body })).status).toBe(200);
  const metrics = await (await fetch(`${server.origin}/metrics`, { headers })).text();
  expect(metrics).toContain('svc_unhandled_errors_total{kind="exception"} 2\n');
  expect(metrics).toContain('svc_unhandled_errors_total{kind="rejection"} 4\n');
  expect(await server.terminate()).toBe(0);
});

test("a closed log does not stop the server", async () => {
  await using database = await freshDatabase("sqlite");
  await using folder = await temporaryFolder();
  const fault = join(folder.path, "fault.js");
  await Bun.write(fault, `setInterval(() => { throw new Error("a timer threw"); }, 20);`);
  // Standard error is a pipe whose reader exits after one line.
  const wrapper = ["bash", "-c", 'exec "$@" 2> >(head -n 1 > /dev/null)', "bash"];
  await using server = await startServer(
    database,
    { BUN_OPTIONS: `--preload ${fault}` },
    ["--port", "0"],
    wrapper,
  );
  const headers = { authorization: `Bearer ${programToken}` };
  const count = async () =>
    Number(
      /svc_unhandled_errors_total\{kind="exception"\} (\d+)/.exec(
        await (await fetch(`${server.origin}/metrics`, { headers })).text(),
      )?.[1],
    );
  await until(async () => (await count()) > 20, "many errors were counted");
  expect(server.process.exitCode).toBeNull();
});
