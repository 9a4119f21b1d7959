/** An export as plain files, and a backup while retention deletes files. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "ulid";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import {
  folderArchive,
  prepareFolder,
  reuseExistingFiles,
  writeFolder,
} from "../../../src/api/backup/folder.ts";
import { withManifests } from "../../../src/api/backup/manifest.ts";
import { restore } from "../../../src/api/backup/restore.ts";
import { openArchive, writeTar } from "../../../src/api/backup/targets.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import { directions, openEmpty, options, reports } from "../../support/database/backup.ts";
import {
  expectSameRows,
  hashObjects,
  readAllRows,
  seedDeployment,
} from "../../support/database/seeded-deployment.ts";
import { temporaryFolder } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

describe.each(directions)("from $from to $to", ({ from, to }) => {
  const stack = new AsyncDisposableStack();
  let source: Library;
  let folder: string;
  let reader: string;
  beforeAll(async () => {
    source = stack.use(await openLibrary(from[0], from[1]));
    folder = stack.use(await temporaryFolder()).path;
    reader = await source.mint(["feed:read"]);
    await seedDeployment(source);
    const id = ulid();
    await source.plant({ id, key: `atlas/${id}/${"x".repeat(251)}.txt`, bytes: "under the longest name" });
    await source.ask("/api/v1/feed", { token: reader });
    await source.ctx.audit.close();
  });
  afterAll(() => stack.disposeAsync());

  const place = (name: string) => join(folder, name);

  test("an export writes plain files, resumes after an interruption, and imports the same data", async () => {
    const exported = async (until = Number.POSITIVE_INFINITY) => {
      await prepareFolder(place("export"));
      const { entries, summary } = openBackupContents(source.ctx, { bytes: true });
      let files = 0;
      const some = async function* () {
        for await (const entry of entries) {
          if (files++ === until) throw new Error("killed");
          yield entry;
        }
      };
      await writeFolder(
        place("export"),
        withManifests(reuseExistingFiles(place("export"), some()), summary, reports),
      );
    };
    expect(await exported(22).catch((error) => error.message)).toBe("killed");
    await using target = await openEmpty(to);
    expect(
      await restore(target.ctx, folderArchive(place("export")), options).catch((error) => error.message),
    ).toMatch(/truncated/);
    await exported();
    expect((await readdir(place("export"))).sort()).toEqual([
      "end.json",
      "manifest",
      "private",
      "public",
      "rows",
      "svc-backup.json",
    ]);
    await restore(target.ctx, folderArchive(place("export")), options);
    await expectSameRows(await readAllRows(source.ctx.data), target.ctx.data);
    expect(await hashObjects(target)).toEqual(await hashObjects(source));
    expect(await prepareFolder(join(import.meta.dir)).catch((error) => error.message)).toMatch(
      /is not empty/,
    );
  });

  test("files deleted by retention during the backup are left out, and their rows updated", async () => {
    const { id } = await source.plant({ bytes: "rejected long ago" });
    await source.review(id, { decision: "rejected", note: "No." });
    const { entries, summary } = openBackupContents(source.ctx, { bytes: true });
    const slowly = async function* () {
      for await (const entry of entries) {
        if (entry.name.startsWith("rows/audit/")) {
          source.clock.advance(31 * dayMicros);
          await cleanUpAssets(source.ctx);
        }
        yield entry;
      }
    };
    await writeTar(place("swept.tar"), withManifests(slowly(), summary, reports), source.ctx.config.s3);
    await using target = await openEmpty(to);
    const end = await restore(
      target.ctx,
      await openArchive(place("swept.tar"), target.ctx.config.s3),
      options,
    );
    expect(end.swept).toContain(id);
    expect(end.missing).toEqual([]);
    expect(await target.ctx.data.asset(null, id)).toMatchObject({
      key: null,
      has_thumb: false,
      status: "rejected",
    });
  });
});
