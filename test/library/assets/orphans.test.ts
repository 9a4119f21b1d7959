/** Files without a row are deleted, but not those of another database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ulid } from "ulid";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import { must, rowsOf } from "../../support/harness.ts";
import { combinations, type Library, openLibrary } from "../../support/library.ts";

describe.each(combinations)("orphaned files on $dialect and $place", ({ dialect, place }) => {
  // Files tell their age by the clock of the machine, so this one must not be ahead of it.
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
  });
  afterAll(() => library.close());
  const sweep = () => cleanUpAssets(library.ctx);
  const keysOf = async (id: string, store = library.store) =>
    (await library.keys(store)).filter((key) => key.includes(id));
  /** The audit entries of a target. */
  const auditOf = async (id: string | null) =>
    (await library.ctx.data.audit({ who: "bot:svc", limit: 100 }))
      .filter(({ target }) => target === id)
      .map(({ via, what, project, count }) => [via, what, project, count]);
  const keep = (key: string, store = library.store) =>
    store.put(key, new Blob(["x"]).stream(), { type: "text/plain", maxBytes: 1 });

  test("are deleted after an hour, wherever a crash left them, and not before", async () => {
    const id = ulid();
    const remaining = await library.plant({ bytes: "kept" });
    const reserved = (await library.presign({})).body;
    await library.put(reserved, "reserved");
    const left = [
      `atlas/${id}/a.txt`,
      `_pending/${id}`,
      `_pending/${remaining.id}`,
      `_variants/${id}/thumb.webp`,
      `_variants/${id}/bundle/x/a.js`,
      `_probe/${id}`,
    ];
    for (const key of left) await keep(key);
    const copies = [`atlas/${id}/a.txt`, `atlas/${id}/css/a.css`, `atlas/${remaining.id}/note.txt`];
    for (const key of copies) await keep(key, library.publicStore);
    const rest = (await library.keys()).filter((key) => !left.includes(key));
    const published = (await library.keys(library.publicStore)).filter((key) => !copies.includes(key));
    await sweep();
    expect((await library.keys()).sort()).toEqual([...rest, ...left].sort());
    expect((await library.keys(library.publicStore)).sort()).toEqual([...published, ...copies].sort());
    library.clock.advance(7_200 * secondMicros);
    expect(await sweep()).toMatchObject({ orphans: left.length + copies.length });
    expect((await auditOf(null))[0]).toEqual(["service", "sweep orphans", null, left.length + copies.length]);
    expect([await library.keys(), await library.keys(library.publicStore)]).toEqual([rest, published]);
  });

  test("stay if they are older than the database: they belong to another one", async () => {
    const id = ulid();
    await keep(`atlas/${id}/a.txt`);
    await keep(`atlas/${id}/a.txt`, library.publicStore);
    const [before] = await rowsOf(library.url, "select min(applied_at) as at from schema_migrations");
    const made = (at: number) => rowsOf(library.url, `update schema_migrations set applied_at = ${at}`);
    await made(library.clock.now() + 60 * secondMicros);
    library.clock.advance(7_200 * secondMicros);
    await sweep();
    expect([(await keysOf(id)).length, (await keysOf(id, library.publicStore)).length]).toEqual([1, 1]);
    // Stores give times in whole seconds: this may be a file of the database's first second.
    const { modifiedAt } = must(
      (await Array.fromAsync(library.store.list(""))).find(({ key }) => key.includes(id)),
    );
    await made(Math.floor(modifiedAt.getTime() / 1000) * secondMicros + secondMicros - 1);
    await sweep();
    expect([await keysOf(id), await keysOf(id, library.publicStore)]).toEqual([[], []]);
    await made(Number(before?.at));
  });
});
