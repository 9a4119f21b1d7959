/**
 * Reverse proxies with the files of cli/deploy: streams, large and resumable uploads, long responses, and a
 * client's address pass; a request that svc refuses early blocks nothing.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Asset } from "../../src/library/assets/schema.ts";
import { pieceType } from "../support/assets/tus.ts";
import { event, must, program, programToken, startServer, temporaryFolder } from "../support/harness.ts";
import { readFrames } from "../support/http/server-sent-events.ts";
import { hasApache, startApache } from "../support/servers/apache.ts";
import { hasCaddy, startCaddy } from "../support/servers/caddy.ts";
import { hasEnvoy, startEnvoy } from "../support/servers/envoy.ts";
import { hasHaproxy, startHaproxy } from "../support/servers/haproxy.ts";
import { hasNginx, startNginx } from "../support/servers/nginx.ts";
import { freePort } from "../support/servers/proxy.ts";
import type { ReverseProxyOptions } from "../support/servers/reverse-proxy.ts";
import { hasTraefik, startTraefik } from "../support/servers/traefik.ts";
import { bytesOf, MiB, writtenOf } from "../support/stores/store-sources.ts";

type Front = (before: ReverseProxyOptions) => Promise<AsyncDisposable>;

/** One process behind a proxy. */
async function openBehind(start: Front) {
  const open = new AsyncDisposableStack();
  const place = open.use(await temporaryFolder());
  const database = { url: `sqlite:${join(place.path, "svc.db")}` };
  const [port, upstream] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    SVC_SITE_URL: origin,
    SVC_TRUST_PROXY: "1",
    SVC_DATA_DIR: place.path,
    SVC_RATE_LIMIT: "60/60",
  };
  open.use(await startServer(database, env, ["--port", String(upstream)]));
  open.use(await start({ port, upstreams: [`127.0.0.1:${upstream}`] }));
  return { origin, env, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

async function openLinked(start: Front) {
  const site = await openBehind(start);
  expect((await program(["project", "link", "atlas", "--repo", "acme/atlas"], site.env)).code).toBe(0);
  return site;
}

const fronts: [string, boolean, Front][] = [
  ["nginx", hasNginx, startNginx],
  ["Caddy", hasCaddy, startCaddy],
  ["HAProxy", hasHaproxy, startHaproxy],
  ["Traefik", hasTraefik, startTraefik],
  ["Envoy", hasEnvoy, startEnvoy],
  ["Apache", hasApache, startApache],
];

describe.each(fronts)("%s, as its file has it,", (_, isThere, start) => {
  test.skipIf(!isThere)("holds back no event, no large upload and no part of a download", async () => {
    await using site = await openLinked(start);
    const { origin } = site;
    const headers = { authorization: `Bearer ${programToken}` };
    const { events } = readFrames(await fetch(`${origin}/api/v1/feed/stream`, { headers }));
    for (const summary of ["first", "second"]) {
      const json = { ...headers, "content-type": "application/json" };
      await fetch(`${origin}/api/v1/events`, {
        method: "POST",
        headers: json,
        body: JSON.stringify({ events: [event({ summary })] }),
      });
      expect((await events.next()).value).toMatchObject({ event: { summary } });
    }
    const bytes = new Uint8Array(bytesOf(20 * MiB));
    const form = new FormData();
    form.set("project", "atlas");
    form.set("file", new Blob([bytes]), "a#b?c%2Fd;é.bin");
    const uploaded = await fetch(`${origin}/api/v1/assets`, { method: "POST", headers, body: form });
    const { url, sha256 } = (await uploaded.json()) as Asset;
    expect([uploaded.status, sha256]).toEqual([201, writtenOf(bytes).sha256]);
    const part = await fetch(must(url), { headers: { range: `bytes=${MiB}-${MiB + 9}` } });
    expect([part.status, part.headers.get("content-range")]).toEqual([
      206,
      `bytes ${MiB}-${MiB + 9}/${bytes.length}`,
    ]);
    expect(await part.bytes()).toEqual(bytes.subarray(MiB, MiB + 10));
    expect(writtenOf(await (await fetch(must(url))).bytes())).toEqual(writtenOf(bytes));
  });

  test.skipIf(!isThere)("passes on a resumable upload, a call of a tool, and a long response", async () => {
    await using site = await openLinked(start);
    const { origin } = site;
    const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
    const post = (path: string, body: unknown, more = {}) =>
      fetch(new URL(path, origin), {
        method: "POST",
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      });
    const bytes = new Uint8Array(bytesOf(9 * MiB));
    const file = { project: "atlas", filename: "a.bin" };
    const reserved = await (await post("/api/v1/assets/presign", file)).json();
    const tus = { "tus-resumable": "1.0.0" };
    const url = reserved.resumable_url as string;
    const length = { "upload-length": String(bytes.length) };
    const begun = await fetch(url, { method: "POST", headers: { ...tus, ...length } });
    expect([begun.status, begun.headers.get("location")]).toEqual([201, url]);
    const patch = (from: number, to: number) =>
      fetch(url, {
        method: "PATCH",
        headers: { ...tus, ...pieceType, "upload-offset": String(from) },
        body: bytes.subarray(from, to),
      });
    expect((await patch(0, 5 * MiB)).status).toBe(204);
    const head = await fetch(url, { method: "HEAD", headers: tus });
    expect(head.headers.get("upload-offset")).toBe(String(5 * MiB));
    expect((await patch(5 * MiB, bytes.length)).status).toBe(204);
    const finalized = await post(reserved.finalize_url, reserved.finalize_body);
    expect([finalized.status, (await finalized.json()).sha256]).toEqual([201, writtenOf(bytes).sha256]);

    const summary = "s".repeat(400);
    await post("/api/v1/events", { events: Array.from({ length: 200 }, () => event({ summary })) });
    const page = await (await fetch(`${origin}/api/v1/feed?limit=200`, { headers })).json();
    expect(page.events.map(({ summary }: { summary: string }) => summary)).toEqual(Array(200).fill(summary));
    const params = { name: "svc_get_feed", arguments: { limit: 1 } };
    const accept = "application/json, text/event-stream";
    const called = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }, { accept });
    expect([called.status, await called.text()]).toEqual([200, expect.stringContaining(summary)]);
  });

  test.skipIf(!isThere)(
    "passes on the client's address, the host, and the reason for a refused large upload, and keeps serving",
    async () => {
      await using site = await openBehind(start);
      const { origin } = site;
      const send = async (path: string, headers: Record<string, string>, bytes: number) => {
        const form = new FormData();
        form.set("project", "atlas");
        form.set("file", new Blob([new Uint8Array(bytes)]), "a.bin");
        const response = await fetch(origin + path, {
          method: "POST",
          body: form,
          headers,
          keepalive: false,
        });
        return [response.status, ((await response.json()) as { detail: string }).detail];
      };
      for (let round = 0; round < 5; round++) {
        expect((await send("/api/v1/assets", {}, 2e7))[0]).toBe(401);
        // there is no such project
        expect((await send("/api/v1/assets", { authorization: `Bearer ${programToken}` }, 2e7))[0]).toBe(404);
        expect((await send("/api/v1/events", {}, 3e6))[0]).toBe(401);
      }
      // A client that sends half a body does not block others either.
      for (let round = 0; round < 5; round++) {
        await Bun.connect({
          hostname: "127.0.0.1",
          port: Number(new URL(origin).port),
          socket: {
            open: (socket) =>
              void socket.end(
                "POST /api/v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhalf",
              ),
            data() {},
          },
        });
        expect((await fetch(`${origin}/healthz`)).status).toBe(200);
      }
      // Not that the host is not served.
      expect(await send("/assets/upload", { origin }, 100)).toEqual([
        403,
        expect.stringContaining("Reload the page"),
      ]);
      const forged = { headers: { "x-forwarded-for": "192.0.2.7" } };
      const left = async (init = {}) =>
        /r=(\d+)/.exec((await fetch(`${origin}/api/v1/info`, init)).headers.get("ratelimit") ?? "")?.[1];
      expect(Number(await left()) - Number(await left(forged))).toBe(1);
    },
  );
});
