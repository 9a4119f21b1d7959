/** The sweep: what is over goes, what is needed stays, whatever happens at the same moment. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dayMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import { png, zip } from "../../support/assets/media.ts";
import { owned } from "../../support/harness.ts";
import { combinations, file, type Library, openLibrary } from "../../support/library.ts";

describe.each(combinations)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place, { SVC_RETENTION_DAYS: "7", SVC_UPLOAD_TTL: "600" });
  });
  afterAll(() => library.close());

  const sweep = () => cleanUpAssets(library.ctx);
  const detail = async (id: string) => (await library.say<AssetDetail>(`/assets/${id}`)).body;
  const keysOf = async (id: string, store = library.store) =>
    (await library.keys(store)).filter((key) => key.includes(id));
  /** What the audit says of it. */
  const auditOf = async (id: string | null, { ctx }: Library = library) =>
    (await ctx.data.audit({ who: "bot:svc", limit: 100 }))
      .filter(({ target }) => target === id)
      .map(({ via, what, project, count }) => [via, what, project, count]);
  const gone = { url: null, thumb_url: null, bundle_url: null };

  test("a rejected version keeps its file for the retention period and its row forever", async () => {
    const image = (await library.upload({ project: "atlas" }, file("a.png", Buffer.from(png(8, 8))))).body;
    const page = (await library.upload({ project: "atlas" }, file("a.html", "<!doctype html><p>x"))).body;
    for (const { id } of [image, page]) await library.review(id, { decision: "rejected", note: "No." });
    await library.settled();
    library.clock.advance(7 * dayMicros - 1);
    await sweep();
    for (const { id } of [image, page])
      expect((await library.fetch((await detail(id)).url)).status).toBe(200);
    const { url, thumb_url } = await detail(image.id);
    library.clock.advance(1);
    expect(await sweep()).toMatchObject({ expired: 2 });
    expect(await detail(image.id)).toMatchObject({
      status: "rejected",
      review_note: "No.",
      sha256: image.sha256,
      width: 8,
      ...gone,
    });
    expect(await detail(page.id)).toMatchObject({ status: "rejected", kind: "html", ...gone });
    expect([await keysOf(image.id), await keysOf(page.id)]).toEqual([[], []]);
    for (const { id } of [image, page])
      expect(await auditOf(id)).toEqual([["service", "sweep asset", "atlas", 1]]);
    for (const address of [url, thumb_url]) expect((await library.fetch(address)).status).toBe(404);
    expect((await library.review(image.id, { decision: "approved" })).status).toBe(409);
    expect(await sweep()).toEqual({ expired: 0, uploads: 0, orphans: 0 });
  });

  test("a superseded version loses its file; the newest and an approved one keep theirs", async () => {
    const first = await library.plant({ bytes: "one" });
    const second = await library.plant({ bytes: "two" }, first.id);
    const late = await library.plant({ bytes: "three" });
    await library.review(late.id, { decision: "rejected", note: "No." });
    await library.review(late.id, { decision: "approved" });
    library.clock.advance(8 * dayMicros);
    await sweep();
    expect([
      await keysOf(first.id),
      (await keysOf(second.id)).length,
      (await keysOf(late.id)).length,
    ]).toEqual([[], 1, 1]);
    expect((await detail(first.id)).versions.map(({ status }) => status)).toEqual(["superseded", "pending"]);
  });

  test("a published bundle stays at its URL after it was replaced and its private file deleted", async () => {
    const pages = [
      { name: "index.html", data: "<!doctype html><script src=js/a.js></script>" },
      { name: "js/a.js", data: "1" },
    ];
    const { id } = (await library.upload({ project: "atlas" }, file("site.zip", Buffer.from(zip(pages)))))
      .body;
    await library.review(id, { decision: "approved" });
    const { public_url } = (await library.publish(id)).body;
    await library.plant({}, id);
    const before = await read(public_url);
    expect(before).toEqual([
      [200, "text/html", pages[0]?.data],
      [200, "text/javascript", "1"],
    ]);
    library.clock.advance(8 * dayMicros);
    await sweep();
    expect([await keysOf(id), await detail(id)]).toMatchObject([
      [],
      { status: "superseded", public_url, ...gone },
    ]);
    expect(await read(public_url)).toEqual(before);
  });
  const read = (url: string | null) =>
    Promise.all(
      [url, url?.replace("index.html", "js/a.js")].map(async (one) => {
        const response = await library.fetch(one);
        return [response.status, response.headers.get("content-type")?.split(";")[0], await response.text()];
      }),
    );

  test("an upload that is never finalized is deleted a day after it expires", async () => {
    const [early, late] = [(await library.presign({})).body, (await library.presign({})).body];
    for (const reserved of [early, late]) await library.put(reserved, "bytes");
    library.clock.advance(600 * secondMicros + dayMicros - 1);
    await sweep();
    expect((await library.finalize(early)).status).toBe(201);
    library.clock.advance(1);
    expect(await sweep()).toMatchObject({ uploads: 1 });
    expect([await auditOf(late.id), await auditOf(early.id)]).toEqual([
      [["service", "sweep upload", "atlas", 1]],
      [],
    ]);
    expect([await keysOf(late.id), (await library.finalize(late)).status]).toEqual([[], 404]);
    expect([(await keysOf(early.id)).length, (await library.finalize(early)).status]).toEqual([1, 409]);
  });

  test("a finalize after cleanup is a 404 without a row; one before cleanup keeps its file", async () => {
    for (const moment of ["before", "behind"] as const) {
      const reserved = (await library.presign({})).body;
      await library.put(reserved, "bytes");
      library.clock.advance(600 * secondMicros + 2 * dayMicros);
      const sweepAround =
        <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
        async (...args: A): Promise<R> => {
          if (moment === "before") await sweep();
          const result = await work(...args);
          if (moment === "behind") await sweep();
          return result;
        };
      const { copy, stat } = library.store;
      library.ctx.store = owned(
        { ...library.store, copy: sweepAround(copy), stat: sweepAround(stat) },
        library.ctx.data,
      );
      const { status } = await library.finalize(reserved);
      library.ctx.store = owned(library.store, library.ctx.data);
      expect([moment, status, (await library.say(`/assets/${reserved.id}`)).status]).toEqual([
        moment,
        404,
        404,
      ]);
      library.clock.advance(3_700 * secondMicros);
      await sweep();
      expect([moment, await keysOf(reserved.id)]).toEqual([moment, []]);
    }
  });

  test("a finalize between two checks of a cleanup keeps its file", async () => {
    const reserved = (await library.presign({})).body;
    await library.put(reserved, "bytes");
    const { assetsWithFile: keptAssets } = library.ctx.data;
    const { data } = library.ctx;
    let isFinalized = false;
    const swept = cleanUpAssets(
      {
        ...library.ctx,
        data: {
          ...data,
          async assetsWithFile(...args) {
            const remaining = await keptAssets(...args);
            if (!isFinalized) expect((await library.finalize(reserved)).status).toBe(201);
            isFinalized = true;
            return remaining;
          },
        },
      },
      -3_600 * secondMicros,
    );
    await swept;
    expect(isFinalized).toBe(true);
    expect(await keysOf(reserved.id)).toEqual([`atlas/${reserved.id}/note.txt`]);
    expect(await (await library.fetch((await detail(reserved.id)).url)).text()).toBe("bytes");
  });
});

test("without stores there is nothing to clean up", async () => {
  await using library = await openLibrary("sqlite", "disk");
  library.ctx.store = library.ctx.publicStore = null;
  expect(await cleanUpAssets(library.ctx)).toEqual({ expired: 0, uploads: 0, orphans: 0 });
});
