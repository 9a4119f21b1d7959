/** A running server with streams. */
import { describe, expect, test } from "bun:test";
import { event, freshDatabase, programToken, startServer, until } from "../support/harness.ts";
import { open, path } from "../support/http/feed-stream.ts";

describe("a server with streams", () => {
  test("ends them when it is stopped, and exits with code 0", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    await using stream = await open(server.origin, programToken);
    const ended = stream.ended();
    expect(await server.terminate()).toBe(0);
    await ended;
    expect(stream.text()).toStartWith("retry: 1000\n\n");
  });

  test("buffers little for stalled readers, and sends them everything once they read on", async () => {
    await using database = await freshDatabase("sqlite");
    await using server = await startServer(database);
    const [stalled, batches, length] = [20, 10, 1000];
    const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
    const body = JSON.stringify({
      events: Array.from({ length }, () => event({ summary: "x".repeat(1000) })),
    });
    const fill = async () => {
      for (let batch = 0; batch < batches; batch++)
        expect(
          (await fetch(`${server.origin}/api/v1/events`, { method: "POST", headers, body })).status,
        ).toBe(200);
    };
    await fill(); // warm up: memory for the appends must be part of the baseline
    const { port } = new URL(server.origin);
    let received = 0;
    const readers = await Promise.all(
      Array.from({ length: stalled }, async () => {
        const socket = await Bun.connect({
          hostname: "127.0.0.1",
          port: Number(port),
          socket: { data: (_, chunk) => void (received += chunk.length) },
        });
        socket.pause();
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${programToken}\r\n\r\n`,
        );
        return socket;
      }),
    );
    await Bun.sleep(200);
    const before = residentMegabytes(server.process.pid);
    await fill();
    const grown = residentMegabytes(server.process.pid) - before;
    // Buffered for every reader it would exceed 200 MB.
    expect(grown).toBeLessThan(100);
    const sent = batches * length * 1000;
    for (const reader of readers) reader.resume();
    await until(() => received > stalled * sent, "the readers have it all", 60_000);
    for (const reader of readers) reader.end();
  });
});

const residentMegabytes = (pid: number): number =>
  Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]).stdout.toString()) / 1024;
