/** The commands of the library. */
import { describe, expect, test } from "bun:test";
import { chmod, unlink } from "node:fs/promises";
import { join } from "node:path";
import { openData } from "../../../db/open.ts";
import type { Asset, AssetDetail, AssetList } from "../../../src/library/assets/schema.ts";
import {
  freshDatabase,
  link,
  must,
  programToken,
  startServer,
  temporaryFolder,
} from "../../support/harness.ts";
import { file } from "../../support/library.ts";

describe("the program", () => {
  const writes: [string, RequestInit][] = [
    [
      "/assets",
      { method: "POST", headers: { "content-type": "application/json" }, body: '{"presign":true}' },
    ],
    [
      "/assets",
      { method: "POST", headers: { "content-type": "multipart/form-data; boundary=x" }, body: "--x--" },
    ],
    ["/assets/x/finalize", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }],
    ["/assets/x/publish", { method: "POST" }],
  ];
  const review: [string, RequestInit] = [
    "/assets/x/review",
    { method: "PUT", headers: { "content-type": "application/json" }, body: "{}" },
  ];
  const statusesOf = (origin: string, request: [string, RequestInit][], token = programToken) =>
    Promise.all(
      request.map(async ([path, init]) => {
        const headers = { ...init.headers, authorization: `Bearer ${token}` };
        const response = await fetch(`${origin}/api/v1${path}`, { ...init, headers });
        return [path, response.status, response.headers.get("content-type")];
      }),
    );
  const each = (input: [string, RequestInit][], status: number) =>
    input.map(([path]) => [path, status, "application/problem+json"]);

  /** The superuser may read everything, unless he starts without that power. */
  const bound = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
  test.skipIf(bound.length > 0 && !Bun.which("setpriv"))(
    "answers 503 for bytes that cannot be read, 404 where they are gone, though seen a moment ago",
    async () => {
      await using folder = await temporaryFolder();
      await using database = await freshDatabase("sqlite");
      const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
      await link(data, "atlas");
      await data.close();
      await using server = await startServer(database, { SVC_DATA_DIR: folder.path }, undefined, bound);
      const body = new FormData();
      body.append("project", "atlas");
      body.append("file", file());
      const headers = { authorization: `Bearer ${programToken}` };
      const { url, id }: Asset = await (
        await fetch(`${server.origin}/api/v1/assets`, { method: "POST", headers, body })
      ).json();
      const part = () => fetch(must(url), { headers: { range: "bytes=5-9" } });
      expect([(await part()).status, await (await part()).text()]).toEqual([206, "words"]);
      const path = join(folder.path, "assets-local/private/atlas", id, "note.txt");
      await chmod(path, 0);
      const refused = await part();
      expect([
        refused.status,
        refused.headers.get("content-type"),
        refused.headers.has("retry-after"),
      ]).toEqual([...[503, "application/problem+json", true]]);
      await chmod(path, 0o600);
      expect((await part()).status).toBe(206);
      await unlink(path);
      const answer = await part();
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    },
  );

  test("without stores takes no uploads and publishes nothing", async () => {
    await using database = await freshDatabase("sqlite");
    await using folder = await temporaryFolder();
    const env = { SVC_DATA_DIR: folder.path, SVC_ASSET_STORE: "none", SVC_PUBLIC_STORE: "none" };
    await using server = await startServer(database, env);
    expect(await statusesOf(server.origin, writes)).toEqual(each(writes, 501));
    expect(await statusesOf(server.origin, [review])).toEqual(each([review], 400));
    expect(await statusesOf(server.origin, writes, "unknown")).toEqual(each(writes, 401));
    expect(await Array.fromAsync(new Bun.Glob("**/*").scan(folder.path))).toEqual([]);
  });

  test.each(["local", "none"])(
    "in mock mode shows assets, with bytes unless its store is none, and takes no writes: %s",
    async (place) => {
      await using folder = await temporaryFolder();
      await using server = await startServer(
        { url: "" },
        { SVC_DATA_DIR: folder.path, SVC_DATA_MODE: "mock", SVC_ASSET_STORE: place },
      );
      const request = [...writes, review];
      expect(await statusesOf(server.origin, request)).toEqual(each(request, 501));
      expect(await statusesOf(server.origin, request, "unknown")).toEqual(each(request, 401));
      const headers = { authorization: `Bearer ${programToken}` };
      const { assets } = (await (
        await fetch(`${server.origin}/api/v1/assets?limit=200`, { headers })
      ).json()) as AssetList;
      expect(assets.length).toBeGreaterThan(3);
      const none = place === "none";
      for (const { url, thumb_url, bundle_url } of assets) {
        expect(url === null).toBe(none);
        if (none) expect([thumb_url, bundle_url]).toEqual([null, null]);
      }
      const asset = await fetch(`${server.origin}/api/v1/assets/${assets[0]?.id}`, { headers });
      expect([asset.status, ((await asset.json()) as AssetDetail).url === null]).toEqual([200, none]);
      expect((await fetch(`${server.origin}/api/v1/assets`)).status).toBe(401);
      expect(await Array.fromAsync(new Bun.Glob("**/*").scan(folder.path))).toEqual([]);
    },
  );
});
