/**
 * Graceful shutdown: requests in progress finish, new connections are refused, and the process exits with 0
 * in time.
 */

import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { SQL } from "bun";
import { Readiness } from "../../src/api/http/monitoring/health.ts";
import {
  event,
  freshDatabase,
  programToken,
  rowsOf,
  runProgram,
  type Server,
  startServer,
  until,
} from "../support/harness.ts";
import { readFrames } from "../support/http/server-sent-events.ts";
import { freePort } from "../support/servers/proxy.ts";

const authorization = `Bearer ${programToken}`;

/** Starts a request whose body is incomplete, so that it stays in progress. */
async function halfRequest(server: Server): Promise<{ socket: Socket; finish(): Promise<string> }> {
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  let output = "";
  socket.on("data", (bytes) => (output += String(bytes)));
  socket.on("error", () => {});
  await once(socket, "connect");
  const body = JSON.stringify({ events: [event()] });
  const fields = [
    `Host: ${hostname}`,
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`POST /api/v1/events HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n${body.slice(0, 10)}`);
  await until(
    async () => (await metrics(server)).includes('svc_operations_in_flight{operation="appendEvents"} 1'),
    "the server is at it",
  );
  return {
    socket,
    async finish() {
      socket.write(body.slice(10));
      await once(socket, "close");
      return output;
    },
  };
}

const metrics = async ({ origin }: Server): Promise<string> =>
  (await fetch(`${origin}/metrics`, { headers: { authorization } })).text();

/** Whether the server refuses new connections. */
const isClosed = ({ origin }: Server): Promise<boolean> =>
  fetch(`${origin}/healthz`, { headers: { connection: "close" } }).then(
    () => false,
    () => true,
  );

describe("a server that receives SIGTERM", () => {
  test.concurrent("finishes requests in progress, closes streams, refuses connections and exits with 0", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const stream = readFrames(
      await fetch(`${server.origin}/api/v1/feed/stream`, { headers: { authorization } }),
    );
    const half = await halfRequest(server);
    const exit = server.terminate();
    expect((await stream.events.next()).done).toBe(true);
    expect(stream.text()).toStartWith("retry: 1000\n\n");
    await until(() => isClosed(server), "the port is closed");
    expect(await half.finish()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"accepted":1/s);
    expect(await exit).toBe(0);
    expect((await rowsOf(database.url, "select id from events")).length).toBe(1);
  });

  test.concurrent("fails the readiness check of a polling proxy first, and closes connections", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const ready = () => fetch(`${server.origin}/readyz`);
    for (let requestCount = 0; requestCount < 2; requestCount++) expect((await ready()).status).toBe(200);
    const exit = server.terminate();
    await until(async () => server.errors().includes("draining"), "it drains");
    const info = await fetch(`${server.origin}/api/v1/info`);
    expect([info.status, info.headers.get("connection")]).toEqual([200, "close"]);
    const second = await ready();
    expect([second.status, second.headers.get("connection"), second.headers.get("retry-after")]).toEqual([
      503,
      "close",
      "2",
    ]);
    await until(() => isClosed(server), "the port is closed");
    expect(await exit).toBe(0);
  });

  test.concurrent("drains from its first response on, also before it has printed its URL", async () => {
    await using database = await freshDatabase("postgres");
    await (await startServer(database)).kill();
    const port = await freePort();
    const health = () => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    await using sql = new SQL(database.url, { max: 1 });
    // Between the two, the server writes its URL to the database: held up here for as long as the test needs.
    await using starting = await sql.begin(async (transaction) => {
      await transaction`lock table settings in exclusive mode`;
      const program = runProgram(["serve", "--port", String(port)], { SVC_DATABASE_URL: database.url });
      await until(async () => (await health())?.status === 200, "the first response", 5_000);
      expect(program.output()).toBe("");
      program.process.kill("SIGTERM");
      return program;
    });
    expect(await starting.ended).toBe(0);
    expect(starting.errors()).toContain("draining");
  });

  test.concurrent("waits until the proxy has seen the failed check, and no longer", async () => {
    const readiness = new Readiness();
    expect([readiness.check(), readiness.check()]).toEqual([true, true]);
    const stopped = readiness.stop(3_600_000);
    expect(readiness.check()).toBe(false);
    await stopped;
  });

  test.concurrent("exits immediately on a second signal", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const half = await halfRequest(server);
    void server.terminate();
    await until(() => isClosed(server), "the port is closed");
    expect(await server.terminate()).toBe(143);
    half.socket.destroy();
  });

  test.concurrent("exits even if a request does not finish", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const half = await halfRequest(server);
    expect(await server.terminate()).toBe(0);
    half.socket.destroy();
    expect(await rowsOf(database.url, "select id from events")).toEqual([]);
  });
});
