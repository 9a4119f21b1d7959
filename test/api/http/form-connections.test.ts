/** Uploads as a form over connections that are cut, stall or drip. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { openData } from "../../../db/open.ts";
import {
  freshDatabase,
  link,
  programToken,
  startServer,
  temporaryFolder,
  testClock,
  until,
} from "../../support/harness.ts";
import { closing, field, formWith, opening, type, withProgress } from "../../support/http/forms.ts";
import { openRawConnection } from "../../support/http/raw-http.ts";
import { type Library, openLibrary, pathOf } from "../../support/library.ts";

describe("a connection", () => {
  let library: Library;
  let origin: string;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk", { SVC_MAX_UPLOAD_BYTES: "100000" });
    origin = library.listen();
  });
  afterAll(() => library.close());

  const posting = (extra: string, token = library.token) =>
    `POST /api/v1/assets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\n${extra}\r\n\r\n`;
  const chunked = (bytes: Uint8Array): (string | Uint8Array)[] => [
    `${bytes.length.toString(16)}\r\n`,
    bytes,
    "\r\n0\r\n\r\n",
  ];
  const healthy = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  const large = formWith(new Uint8Array(2_000_000));
  /** Waits until neither a row nor a file is left. */
  const leavesNothing = async () => {
    await until(async () => (await library.keys()).length === 0, "nothing is kept");
    expect(await library.ctx.data.assets(null, { limit: 1 })).toEqual([]);
  };

  test.each([
    ["too large, with its length", 413, () => [posting(`Content-Length: ${large.length}`), large]],
    ["too large, in chunks", 413, () => [posting("Transfer-Encoding: chunked"), ...chunked(large)]],
    ["without a token", 401, () => [posting(`Content-Length: ${large.length}`, "no"), large]],
    [
      "broken behind its file",
      400,
      () => [
        posting("Content-Length: 90009"),
        formWith(new Uint8Array(80_000)).subarray(0, 80_000),
        "x".repeat(10_009),
      ],
    ],
    [
      "of two projects",
      400,
      () => [
        posting(`Content-Length: ${large.length + field("project", "x").length}`),
        field("project", "x"),
        large,
      ],
    ],
  ] as [string, number, () => (string | Uint8Array)[]][])(
    "whose form is %s gets a %d, and stays open",
    async (_, status, parts) => {
      const line = openRawConnection(origin);
      await line.send(...parts());
      await until(() => line.statuses().length === 1, "it is answered");
      await line.send(healthy);
      await until(() => line.statuses().length === 2, "the next request is answered");
      expect(line.statuses()).toEqual([status, 200]);
      line.close();
      await leavesNothing();
    },
  );

  test("that is cut in the middle leaves nothing and logs no error", async () => {
    library.logged.length = 0;
    const form = formWith(new Uint8Array(90_000));
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const line = openRawConnection(origin);
        await line.send(
          posting(`Content-Length: ${form.length}`),
          form.subarray(0, Math.floor((form.length * index) / 20)),
        );
        await Bun.sleep(index * 3);
        line.close();
      }),
    );
    await leavesNothing();
    const reserved = (await library.presign({})).body;
    const line = openRawConnection(origin);
    await line.send(
      `PUT ${pathOf(reserved.upload_url)} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 5000\r\n\r\n`,
      "half",
    );
    await Bun.sleep(50);
    line.close();
    await leavesNothing();
    expect((await library.put(reserved, "whole")).status).toBe(200);
    expect((await library.finalize(reserved)).body.size).toBe(5);
    expect(library.logged).toEqual([]);
    await library.store.delete(reserved.key);
    await library.ctx.data.atomically(async (writes) => writes.changeAsset(reserved.id, { key: null }));
  });

  test("whose form stalls or drips gets a 400 and is closed, and leaves nothing", async () => {
    const rows = (await library.ctx.data.assets(null, { limit: 9 })).length;
    await withProgress({ bytes: 1000, ms: 150 }, async () => {
      const [stalled, dripping] = [openRawConnection(origin), openRawConnection(origin)];
      for (const line of [stalled, dripping])
        await line.send(posting("Content-Length: 90000"), field("project", "atlas"), opening(), "some");
      while (!dripping.isClosed()) {
        await dripping.send("x");
        await Bun.sleep(5);
      }
      await until(() => stalled.isClosed(), "the stalled one is closed");
      for (const line of [stalled, dripping])
        expect([
          line.statuses(),
          line.received().includes("Timed out while waiting for the request body."),
        ]).toEqual([[400], true]);
    });
    await until(async () => (await library.keys()).length === 0, "nothing is kept");
    expect((await library.ctx.data.assets(null, { limit: 9 })).length).toBe(rows);
  });
});

test("a large upload takes little memory, whatever the Host header", async () => {
  await using database = await freshDatabase("sqlite");
  await using folder = await temporaryFolder();
  const data = await openData(database.url, { now: testClock().now, log() {} });
  await link(data, "atlas");
  await data.close();
  await using server = await startServer(database, { SVC_DATA_DIR: folder.path });
  const peak = () =>
    Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.process.pid}/status`, "latin1"))?.[1]) /
    1024;
  const block = new Uint8Array(2 ** 20);
  const [before, blocks] = [peak(), 160];
  for (const host of ["127.0.0.1", "x"]) {
    const line = openRawConnection(server.origin);
    const length = formWith("").length + blocks * block.length;
    await line.send(
      `POST /api/v1/assets HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${programToken}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
    );
    await line.send(field("project", "atlas") + opening());
    for (let sent = 0; sent < blocks; sent++) await line.send(block);
    await line.send(closing);
    await until(() => line.statuses().length === 1, "it is answered");
    expect([host, line.statuses()]).toEqual([host, [201]]);
    line.close();
    expect(peak() - before).toBeLessThan(130);
  }
});
