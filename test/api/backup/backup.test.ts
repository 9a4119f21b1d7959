/**
 * Backup and restore, export and import: every row and file comes back, also on another database, or nothing
 * changes.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BackupError, type Entry, readText, textEntry } from "../../../src/api/backup/archive.ts";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { withManifests } from "../../../src/api/backup/manifest.ts";
import { restore } from "../../../src/api/backup/restore.ts";
import { openArchive, writeTar } from "../../../src/api/backup/targets.ts";
import { directions, openEmpty, options, reports } from "../../support/database/backup.ts";
import {
  expectSameRows,
  hashObjects,
  readAllRows,
  type SeededData,
  seedDeployment,
} from "../../support/database/seeded-deployment.ts";
import { event, expectConsistent, must, rowsOf, temporaryFolder } from "../../support/harness.ts";
import { type Library, openLibrary, pathOf } from "../../support/library.ts";

const backupOf = async (library: Library, place: string) => {
  const { entries, summary } = openBackupContents(library.ctx, { bytes: true });
  await writeTar(place, withManifests(entries, summary, reports), library.ctx.config.s3);
  return openArchive(place, library.ctx.config.s3);
};

describe.each(directions)("from $from to $to", ({ from, to }) => {
  const stack = new AsyncDisposableStack();
  let source: Library;
  let seeded: SeededData;
  let folder: string;
  let reader: string;
  beforeAll(async () => {
    source = stack.use(await openLibrary(from[0], from[1]));
    folder = stack.use(await temporaryFolder()).path;
    reader = await source.mint(["feed:read"]);
    seeded = await seedDeployment(source);
    await source.ask("/api/v1/feed", { token: reader });
    await source.ctx.audit.close();
  });
  afterAll(() => stack.disposeAsync());

  const place = (name: string) => join(folder, name);

  test("a restore brings back every row and file, and URLs, cursors and pending uploads still work", async () => {
    const archive = await backupOf(source, place("whole.tar"));
    await using target = await openEmpty(to);
    const [rows, objects] = [await readAllRows(source.ctx.data), await hashObjects(source)];
    const { missing, damaged, swept } = await restore(target.ctx, archive, options);
    expect({ missing, damaged, swept }).toEqual({ missing: [], damaged: [], swept: [] });
    await expectSameRows(rows, target.ctx.data);
    expect(await hashObjects(target)).toEqual(objects);
    expect(await target.ctx.data.audit({ limit: 1 })).toMatchObject([{ who: "human:ana", what: "restore" }]);
    await expectConsistent(target.ctx.data);
    const view = await target.ask(pathOf(seeded.view));
    expect([view.status, view.headers.get("content-type")]).toEqual([200, "image/png"]);
    const media = seeded.published.includes("/media/")
      ? pathOf(seeded.published)
      : `/media/${seeded.published.split("/public/")[1]}`;
    expect(await (await target.ask(media)).text()).toContain("js/a.js");
    const { next_before } = await (await source.ask("/api/v1/feed?limit=2", { token: reader })).json();
    const behind = async (library: Library) =>
      (await library.ask(`/api/v1/feed?before=${encodeURIComponent(next_before)}`, { token: reader })).text();
    expect(await behind(target)).toBe(await behind(source));
    const { id, finalize_body } = seeded.pending;
    expect(
      (await target.ask(`/api/v1/assets/${id}/finalize`, { token: source.token, json: finalize_body }))
        .status,
    ).toBe(201);
    const found = await target.ctx.data.search(null, "decision", {
      match: { term: "tide" },
      order: "likeness",
      limit: 5,
    });
    expect(found.map(({ text }) => text)).toEqual(["Use the tide map"]);
    const added = await target.ctx.data.atomically((writes) =>
      writes.addDecision({
        project: "atlas",
        text: "New",
        source: "cli",
        source_ref: null,
        actor: "human:zoe",
        valid_from: 9,
      }),
    );
    expect(must(added).id).toBeGreaterThan(must(found[0]).id);
  });

  test("a backup from before a column was added restores with null in that column", async () => {
    const { entries, summary } = openBackupContents(source.ctx, { bytes: true });
    async function* older(): AsyncGenerator<Entry> {
      for await (const entry of entries)
        yield entry.name.startsWith("rows/projects/")
          ? textEntry(entry.name, (await readText(entry)).replaceAll(',"repo_id":null', ""))
          : entry;
    }
    await writeTar(place("older.tar"), withManifests(older(), summary, reports), source.ctx.config.s3);
    const rows = await readAllRows(source.ctx.data);
    await using target = await openEmpty(to);
    await restore(target.ctx, await openArchive(place("older.tar"), source.ctx.config.s3), options);
    await expectSameRows(rows, target.ctx.data);
  });

  test("a backup under concurrent writes is a consistent snapshot", async () => {
    const { entries, summary } = openBackupContents(source.ctx, { bytes: true });
    const underLoad = async function* () {
      let isFinalized = false;
      for await (const entry of entries) {
        await source.ctx.data.atomically((writes) =>
          writes.append([
            event({ project: "atlas", kind: "issue.opened", issue: 90, tokens_in: 7 }),
            event({ project: "atlas" }),
          ]),
        );
        if (entry.name.startsWith("rows/")) await source.plant({ bytes: `planted at ${entry.name}` });
        else if (entry.name.startsWith("private/") && !isFinalized) {
          isFinalized = true;
          await source.finalize(seeded.pending);
          await source.store.delete(`_pending/${seeded.pending.id}`);
        }
        yield entry;
      }
    };
    await writeTar(
      place("under-load.tar"),
      withManifests(underLoad(), summary, reports),
      source.ctx.config.s3,
    );
    const archive = await openArchive(place("under-load.tar"), source.ctx.config.s3);
    await using target = await openEmpty(to);
    expect(await restore(target.ctx, archive, options)).toMatchObject({ missing: [], damaged: [] });
    await expectConsistent(target.ctx.data);
    const [all, then] = [await readAllRows(source.ctx.data), await readAllRows(target.ctx.data)];
    for (const table of ["events", "assets", "decisions", "tokens", "settings"])
      expect(new Set(then.get(table)).difference(new Set(all.get(table)))).toEqual(new Set());
    const objects = await hashObjects(target);
    const key = from[1] === "disk" ? seeded.pending.finalize_body.key : `_pending/${seeded.pending.id}`;
    expect(await new Response(must(await target.store.get(key)).body).text()).toBe("bytes of later");
    for (const { key, sha256 } of must(then.get("assets")).map((row) => JSON.parse(row)))
      if (key) expect(objects[`private/${key}`]).toBe(sha256);
  });

  test("a truncated or altered backup is rejected, and nothing changes", async () => {
    const whole = await readFile(place("whole.tar"));
    await using target = await openEmpty(to);
    const before = await readAllRows(target.ctx.data);
    const tryRestore = async (bytes: Uint8Array) => {
      await writeFile(place("broken.tar"), bytes);
      return restore(target.ctx, await openArchive(place("broken.tar"), target.ctx.config.s3), options).then(
        () => "restored",
        (error) => (error instanceof BackupError ? error.message : error),
      );
    };
    for (let part = 0; part < 8; part++) {
      const at = Math.floor((whole.length - 1600) * (part / 8)) + 7;
      expect(await tryRestore(whole.subarray(0, at))).toMatch(/truncated/);
    }
    for (const name of [/"made_at": "2/, /Use the berth/, /plain(?=\0)/, /"rows":\{"feed_head/]) {
      const changed = Buffer.from(whole);
      const at = whole.toString("latin1").search(name) + 1;
      changed[at] = (changed[at] as number) ^ 1;
      expect(await tryRestore(changed)).toMatch(/damaged|missing/);
    }
    expect(await readAllRows(target.ctx.data)).toEqual(before);
    expect(await hashObjects(target)).toEqual({});
  });

  test("existing data is replaced only with --force", async () => {
    const archive = await backupOf(source, place("forced.tar"));
    await using target = await openLibrary(to[0], to[1]);
    const { id, key } = await target.plant({ bytes: "an older library" });
    expect(await restore(target.ctx, archive, options).catch((error) => error.message)).toMatch(
      /is not empty; pass --force/,
    );
    expect((await target.ctx.data.asset(null, id))?.key).toBe(key);
    const other = must(
      Object.keys(await hashObjects(source)).find(
        (name) => name.endsWith("plain.txt") && name.startsWith("private/"),
      ),
    );
    await target.store.put(other.slice("private/".length), new Blob(["other"]).stream(), {
      type: "text/plain",
      maxBytes: 9,
    });
    await restore(target.ctx, archive, { ...options, force: true });
    await expectSameRows(await readAllRows(source.ctx.data), target.ctx.data);
    expect(await hashObjects(target)).toMatchObject(await hashObjects(source));
  });
});

test("every table is in a backup, or is derived from others", async () => {
  await using library = await openLibrary("postgres", "disk");
  const tables = await rowsOf(
    library.url,
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const backedUp = new Set(await library.ctx.data.snapshot(async (all) => all.tables));
  expect(
    tables
      .map(({ name }) => String(name))
      .filter((name) => !backedUp.has(name) && !/_terms$/.test(name))
      .sort(),
  ).toEqual([
    "deployment",
    "facet_events",
    "facets",
    "person_usage",
    "project_words",
    "pull_request_issues",
    "recall_indexes",
    "request_windows",
    "runs",
    "schema_migrations",
    "sessions",
    "share_attempts",
    "sign_in_links",
    "stale_tasks",
    "task_counts",
    "task_usage",
    "tasks",
    "text_languages",
    "upload_segments",
    "webhook_deliveries",
    "webhook_nodes",
    "word_grams",
    "words",
  ]);
});
