/** One upload that is cut again and again, by its sender and by kill -9 of the server, and arrives whole. */
import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSource } from "../../src/files/stores/objects.ts";
import {
  link,
  migratedDatabase,
  must,
  programToken,
  type Server,
  scaled,
  startServer,
  until,
} from "../support/harness.ts";
import { openRawConnection } from "../support/http/raw-http.ts";
import { combinations, openPlace, pathOf } from "../support/library.ts";
import { bytesOf, MiB } from "../support/stores/store-sources.ts";
import { openLeft, requireAgreement } from "./agreement.ts";
import { reached, times } from "./promises.ts";

const cuts = times("resumed");
const size = scaled(20 * MiB + 12_345, 2048 * MiB);
const protocol = { "tus-resumable": "1.0.0" };

/** A file of arbitrary bytes. */
async function writeFile(path: string): Promise<string> {
  const writer = Bun.file(path).writer();
  for (let at = 0, seed = 1; at < size; at += 4 * MiB, seed++) {
    writer.write(bytesOf(Math.min(4 * MiB, size - at), seed));
    await writer.flush();
  }
  await writer.end();
  return (await hashSource(Bun.file(path).stream())).sha256;
}

interface Reserved {
  id: string;
  resumable_url: string;
  finalize_body: unknown;
}

/** Repeats the call while the server is still storing the file. */
async function finalize(server: Server, { id, finalize_body }: Reserved) {
  const path = `/api/v1/assets/${id}/finalize`;
  let response = await post(server, path, finalize_body);
  while (response.status === 503) response = await post(server, path, finalize_body);
  return answerOf<{ size: number; sha256: string; url: string }>(response);
}

function post(server: Server, path: string, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
  return fetch(server.origin + path, { method: "POST", headers, body: JSON.stringify(body) });
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  expect([response.status, text]).toEqual([201, text]);
  return JSON.parse(text);
}

/** Sends the file from `offset`, and breaks off after `count` bytes. */
async function sendUntilCut(server: Server, url: string, path: string, offset: number, count: number) {
  const line = openRawConnection(server.origin);
  const head = [
    `PATCH ${url} HTTP/1.1`,
    ...["Host: 127.0.0.1", "Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream"],
    ...[`Upload-Offset: ${offset}`, `Content-Length: ${size - offset}`],
  ];
  await line.send(`${head.join("\r\n")}\r\n\r\n`);
  for await (const chunk of Bun.file(path)
    .slice(offset, offset + count)
    .stream())
    await line.send(chunk);
  return line;
}

describe.each(combinations)("on $dialect and $place", ({ dialect, place }) => {
  test(`an upload that is cut ${cuts} times arrives whole`, async () => {
    await using opened = await openPlace(place);
    await using database = await migratedDatabase(dialect);
    await using cleanup = new AsyncDisposableStack();
    const path = join(tmpdir(), `svc-resumed-${crypto.randomUUID()}`);
    cleanup.defer(() => rm(path, { force: true }));
    const sha256 = await writeFile(path);
    const data = await openLeft(database);
    await link(data, "atlas");
    await data.close();
    let server = await startServer(database, opened.env);
    cleanup.defer(() => server.close());
    const reserved = await answerOf<Reserved>(
      await post(server, "/api/v1/assets/presign", { project: "atlas", filename: "large.bin" }),
    );
    const url = pathOf(reserved.resumable_url);
    const created = await fetch(server.origin + url, {
      method: "POST",
      headers: { ...protocol, "upload-length": String(size) },
    });
    expect(created.status).toBe(201);
    const offsetNow = async () => {
      const { headers } = await fetch(server.origin + url, { method: "HEAD", headers: protocol });
      return Number(must(headers.get("upload-offset")));
    };
    for (let cut = 0; cut < cuts; cut++) {
      const offset = await offsetNow();
      const count = Math.floor(((size - offset) / (cuts - cut + 1)) * (0.5 + Math.random()));
      const line = await sendUntilCut(server, url, path, offset, count);
      if (cut % 2) {
        await server.kill();
        server = await startServer(database, opened.env);
      } else line.close();
      await until(() => line.isClosed(), "the line is cut");
      expect(await offsetNow()).toBeGreaterThanOrEqual(offset);
      reached("resumed");
    }
    const offset = await offsetNow();
    const rest = await fetch(server.origin + url, {
      method: "PATCH",
      headers: {
        ...protocol,
        "content-type": "application/offset+octet-stream",
        "upload-offset": String(offset),
      },
      body: Bun.file(path).slice(offset),
    });
    expect(rest.status).toBe(204);
    const asset = await finalize(server, reserved);
    expect([asset.size, asset.sha256]).toEqual([size, sha256]);
    const stored = await fetch(server.origin + pathOf(asset.url));
    expect((await hashSource(must(stored.body))).sha256).toBe(sha256);
    await server.terminate();
    const left = await openLeft(database);
    expect(await requireAgreement(left, opened).finally(() => left.close())).toHaveLength(1);
  });
});
