/** The demo: the same for the same moment, small, and read-only. */
import { describe, expect, test } from "bun:test";
import mediaIndex from "../../db/demo/media/index.json";
import pack from "../../db/demo/media/pack.bin" with { type: "file" };
import { fillDemo } from "../../db/demo.ts";
import { openData } from "../../db/open.ts";
import { fromMicros, toMicros } from "../../src/core/lib/time.ts";
import { isBundle } from "../../src/files/probe/kind.ts";
import { openProbe } from "../../src/files/probe/probe.ts";
import { bytesSource } from "../../src/files/probe/source.ts";
import { embeddedStore } from "../../src/files/stores/embedded.ts";
import type { Asset, AssetList } from "../../src/library/assets/schema.ts";
import { eventsOf, fillDemoAt, lanes, slugs } from "../support/demo.ts";
import { assetRowsOf, must, probeCommand, startServer } from "../support/harness.ts";

describe("the demo", () => {
  const now = toMicros("2026-03-05T14:20:00Z");

  test("makes nothing beside code but for a task", async () => {
    const data = await fillDemoAt(now);
    const opened = (await eventsOf(data)).filter(({ kind }) => kind === "issue.opened");
    const tasks = new Set(opened.map(({ project, issue }) => `${project} ${issue}`));
    for (const { title, project, issue } of await assetRowsOf(data))
      expect([title, tasks.has(`${project} ${issue}`)]).toEqual([title, true]);
  });

  test("has guidance for every model that was onboarded, and for no other", async () => {
    const data = await fillDemoAt(now);
    for (const { id, onboarded_at, guidance_count } of await data.models()) {
      const sections = await data.guidance(id, 100);
      expect([id, sections.length]).toEqual([id, guidance_count]);
      expect([id, sections.length > 0]).toEqual([id, onboarded_at !== null]);
    }
  });

  test("is the same month for the same now, to the byte", async () => {
    const everything = async () => {
      const data = await fillDemoAt(now);
      const rows = await data.feed(null, { limit: 10_000 });
      return JSON.stringify([
        rows,
        await assetRowsOf(data),
        await data.models(),
        await data.currentDecisions("tern", 200),
      ]);
    };
    expect(await everything()).toBe(await everything());
  });

  test.each([[["main"]], [["quick", "deep"]], [["a", "b", "c", "d"]]])(
    "knows no other lanes than the deployment's %j",
    async (names) => {
      const data = await fillDemoAt(now, names);
      const used = new Set((await eventsOf(data)).flatMap(({ lane }) => lane ?? []));
      const said = [...(await data.projects(null, { limit: 10 })), ...(await data.models())].flatMap(
        (row) => row.lanes,
      );
      for (const lane of [...used, ...said]) expect(names).toContain(lane);
      expect(used.size).toBe(Math.min(names.length, 3));
    },
  );

  test("was looked at as an upload is: its rows say what the probe says of their bytes, and hash to what they hold", async () => {
    const data = await openData("sqlite::memory:", { now: () => now, log() {} });
    const objects = await fillDemo(data, { now, lanes });
    const probe = openProbe({
      command: probeCommand(),
      log() {},
    });
    const rows = await assetRowsOf(data);
    const versions = Object.values(mediaIndex).flat();
    for (const { place } of versions) expect(place[1]).toBeGreaterThan(100);
    for (const row of rows) {
      const bytes = await must(objects.get(row.key as string)).bytes();
      const { mime, kind, width, height, duration_ms, size, sha256 } = row;
      expect([row.title, sha256, size]).toEqual([
        row.title,
        new Bun.CryptoHasher("sha256").update(bytes).digest("hex"),
        bytes.length,
      ]);
      expect([row.title, await probe.inspect(bytesSource(bytes))]).toEqual([
        row.title,
        { mime, kind, width, height, duration_ms },
      ]);
      expect([row.title, objects.has(`_variants/${row.id}/thumb.webp`)]).toEqual([row.title, row.has_thumb]);
      if (isBundle(row)) expect(objects.has(`_variants/${row.id}/bundle/${row.bundle_index}`)).toBe(true);
    }
    expect(rows.filter(({ kind, has_thumb }) => kind === "image" && !has_thumb)).toEqual([]);
  }, 60_000);

  test("keeps its bytes where they can be read in parts and listed in order, and where nobody writes", async () => {
    const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const keys = [`_variants/${id}/thumb.webp`, `tern/${id}/b.txt`, `tern/${id}/a.txt`];
    const store = embeddedStore(new Map(keys.map((key) => [key, new Blob(["0123456789"])])));
    const [thumb, b, a] = keys as [string, string, string];
    const read = async (key: string, start: number, end: number) =>
      new Response((await store.get(key, { start, end }))?.body).text();
    expect([await read(a, 2, 5), await read(a, 8, 99), await read(a, 12, 20)]).toEqual(["234", "89", ""]);
    expect([
      (await store.stat(b))?.size,
      await store.get(`tern/${id}/c.txt`),
      await store.stat(`tern/${id}/c.txt`),
    ]).toEqual([10, null, null]);
    const listed = async (...from: [string, string?]) =>
      (await Array.fromAsync(store.list(...from))).map(({ key }) => key);
    expect([await listed(""), await listed("tern/"), await listed("", a)]).toEqual([
      [thumb, a, b],
      [a, b],
      [b],
    ]);
    const writes = [
      store.put(a, new Blob([]).stream(), { type: "text/plain", maxBytes: 1 }),
      store.copy(a, b, { type: "text/plain" }),
      store.delete(a),
    ];
    for (const write of writes) expect(await write.catch((error) => error)).toMatchObject({ status: 501 });
    expect((await store.get("../etc/passwd").catch((error) => error)).status).toBe(400);
  });

  test("weighs less than 3 MB, and none of its films more than 400 KB", async () => {
    expect(Bun.file(pack).size).toBeWithin(500_000, 3_000_000);
    const rows = await assetRowsOf(await fillDemoAt(now));
    for (const { title, size } of rows.filter(({ kind }) => kind === "video"))
      expect([title, size < 400_000]).toEqual([title, true]);
  });

  test("has bytes behind every address, in parts as well; what is published opens without a token", async () => {
    await using server = await startServer({ url: "sqlite::memory:" }, { SVC_DATA_MODE: "mock" });
    const headers = { authorization: "Bearer test-token-with-every-scope" };
    const { assets } = (await (
      await fetch(`${server.origin}/api/v1/assets?limit=200`, { headers })
    ).json()) as AssetList;
    const hashOf = async (url: string) =>
      new Bun.CryptoHasher("sha256").update(await (await fetch(url)).bytes()).digest("hex");
    const publicUrls = ({ public_url }: Asset) => (public_url ? [public_url] : []);
    expect(assets.flatMap(publicUrls).length).toBeGreaterThan(3);
    for (const asset of assets) {
      for (const url of [must(asset.url), ...publicUrls(asset)])
        expect([url, await hashOf(url)]).toEqual([url, asset.sha256]);
      for (const url of [asset.thumb_url, asset.bundle_url])
        if (url) expect([url, (await fetch(url)).status]).toEqual([url, 200]);
    }
    const film = must(assets.find(({ kind }) => kind === "video"));
    const part = await fetch(must(film.url), { headers: { range: "bytes=4-7" } });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      `bytes 4-7/${film.size}`,
      "ftyp",
    ]);
  });

  test("is what `svc serve --mock` shows to everybody, and nobody changes it", async () => {
    await using server = await startServer(
      { url: "sqlite::memory:" },
      { SVC_DATA_MODE: "mock", SVC_PUBLIC_READ: "1" },
    );
    const list = await (await fetch(`${server.origin}/api/v1/projects`)).json();
    expect(list.projects.map(({ slug }: { slug: string }) => slug).sort()).toEqual(slugs);
    const page = await (await fetch(`${server.origin}/api/v1/feed?limit=200`)).json();
    expect([page.count, page.next_before !== null]).toEqual([200, true]);
    const refused = await fetch(`${server.origin}/api/v1/events`, {
      method: "POST",
      headers: { authorization: "Bearer test-token-with-every-scope", "content-type": "application/json" },
      body: JSON.stringify({
        events: [{ kind: "run.started", actor: "agent:codex", summary: `at ${fromMicros(now)}` }],
      }),
    });
    expect(refused.status).toBe(501);
  });
});
