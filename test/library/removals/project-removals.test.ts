/** A removed project leaves no row and no file, and its name can be linked again. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { withManifests } from "../../../src/api/backup/manifest.ts";
import { restore } from "../../../src/api/backup/restore.ts";
import { openArchive, writeTar } from "../../../src/api/backup/targets.ts";
import { checkFiles } from "../../../src/api/doctor/files.ts";
import { checkRows } from "../../../src/api/doctor/inconsistencies.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import { finishRemovals } from "../../../src/library/removals/finish.ts";
import type { Removal, RemovalList, RemovalPlan } from "../../../src/library/removals/schema.ts";
import { options, reports } from "../../support/database/backup.ts";
import { event, link, owned, rowsOf, temporaryFolder } from "../../support/harness.ts";
import { combinations, type Library, openLibrary } from "../../support/library.ts";

const reason = "The customer left.";
/** Tables that keep the name: who did what, and what was taken back. */
const keeping = new Set(["audit", "removals"]);
const derived = [
  ...["runs", "facets", "task_usage", "person_usage", "project_words"],
  ...["pull_request_issues", "tasks", "task_counts", "stale_tasks"],
];

describe.each(combinations)("on $dialect and $place", ({ dialect, place }) => {
  async function open(): Promise<Library & { admin: string }> {
    const library = await openLibrary(dialect, place);
    await link(library.ctx.data, "harbor");
    return Object.assign(library, { admin: await library.mint(allScopes, { name: "boss" }) });
  }
  async function fill(library: Library, project: string): Promise<string | null> {
    const { data } = library.ctx;
    await data.append([
      event({ kind: "run.started", project, run_id: `${project}-1`, issue: 7 }),
      event({ kind: "run.failed", project, run_id: `${project}-1`, cost_equiv: 2, summary: "Lanterns fell" }),
      event({ kind: "issue.opened", project, issue: 7 }),
    ]);
    const { id } = (await library.upload({ project, resubmit: "Again." })).body;
    await library.review(id, { decision: "approved", note: "Bright lanterns" });
    const rejected = (await library.upload({ project, resubmit: "Again." })).body;
    await library.review(rejected.id, { decision: "rejected", note: "Too dark" });
    return (await library.publish(id)).body.public_url;
  }
  const remove = ({ say, admin }: Library & { admin: string }) =>
    say<Removal>("/removals", { token: admin, json: { kind: "project", subject: "atlas", reason } });
  async function remains({ ctx, url }: Library): Promise<string[]> {
    const found: string[] = [];
    await ctx.data.snapshot(async (rows) => {
      for (const table of rows.tables.filter((one) => !keeping.has(one)))
        for await (const page of rows.rows(table))
          for (const { project, slug } of page)
            if (project === "atlas" || slug === "atlas") found.push(table);
    });
    for (const table of derived)
      if ((await rowsOf(url, `select * from ${table} where project = 'atlas'`)).length > 0) found.push(table);
    return found;
  }
  const keys = async ({ keys, store, publicStore }: Library) =>
    [...(await keys(store)), ...(await keys(publicStore))].filter((key) => key.startsWith("atlas/"));
  async function doctor({ ctx }: Library): Promise<unknown[]> {
    const found = [...(await checkRows(ctx, { deep: true })), ...(await checkFiles(ctx, { deep: true }))];
    return found.filter(({ level }) => level !== "ok");
  }

  test("its rows and files go, others stay, its URLs answer 410, and its name can be linked again", async () => {
    await using library = await open();
    const { ctx, admin, say } = library;
    const url = await fill(library, "atlas");
    await fill(library, "harbor");
    const limited = await library.mint(["feed:read"], { name: "limited", projects: ["atlas"] });
    const plan = (await say<RemovalPlan>("/removals/plan?kind=project&subject=atlas", { token: admin })).body;
    const counts = Object.fromEntries(plan.places.map(({ place, rows }) => [place, rows]));
    expect(counts).toMatchObject({ assets: 2, decisions: 1, notes: 1, runs: 1, projects: 1, tokens: 1 });
    const { status, body } = await remove(library);
    expect([status, body.subject, body.finished_at]).toEqual([200, "atlas", expect.any(String)]);
    expect([await remains(library), await keys(library)]).toEqual([[], []]);
    expect((await library.fetch(url)).status).toBe(place === "disk" ? 410 : 404);
    expect((await library.ask("/api/v1/projects/atlas", { token: admin })).status).toBe(404);
    expect((await library.ask("/api/v1/feed", { token: limited })).status).toBe(401);
    const { removals } = (await say<RemovalList>("/removals", { token: admin })).body;
    expect(removals).toMatchObject([{ kind: "project", subject: "atlas", removed_by: "token:boss", reason }]);
    expect(await ctx.data.audit({ what: ["takeBack"], limit: 1 })).toMatchObject([{ project: "atlas" }]);
    const others = await rowsOf(
      library.url,
      "select count(*) as events from events where project = 'harbor'",
    );
    expect(Number(others[0]?.events)).toBeGreaterThan(5);
    expect(await doctor(library)).toEqual([]);

    await link(ctx.data, "atlas");
    expect((await ctx.data.project(null, "atlas"))?.openIssues).toBe(0);
    expect((await ctx.data.feed(["atlas"], { limit: 10 })).length).toBe(0);
    expect((await remove(library)).status).toBe(200);
  });

  test("a restore of an older backup leaves it out, while a later one of the same name comes back", async () => {
    await using library = await open();
    const { ctx } = library;
    await using folder = await temporaryFolder();
    const backup = async (name: string) => {
      const tar = join(folder.path, name);
      const { entries, summary } = openBackupContents(ctx, { bytes: true });
      await writeTar(tar, withManifests(entries, summary, reports), ctx.config.s3);
      return openArchive(tar, ctx.config.s3);
    };
    await fill(library, "atlas");
    const before = await backup("before.tar");
    await remove(library);
    library.clock.advance(1);
    await link(ctx.data, "atlas");
    const after = await backup("after.tar");
    const forced = { ...options, force: true, takeOver: true };
    await restore(ctx, before, forced);
    expect([await remains(library), await keys(library)]).toEqual([[], []]);
    expect(await doctor(library)).toEqual([]);
    await restore(ctx, after, forced);
    expect((await ctx.data.project(null, "atlas"))?.slug).toBe("atlas");
  });

  test("a store that fails delays only the files, and the next server deletes them", async () => {
    await using library = await open();
    const { ctx } = library;
    const url = await fill(library, "atlas");
    const dying = (store: Store): Store => ({ ...store, delete: () => Promise.reject(new Error("killed")) });
    ctx.store = owned(dying(library.store), ctx.data);
    ctx.publicStore = owned(dying(library.publicStore), ctx.data);
    expect((await remove(library)).body.finished_at).toBeNull();
    ctx.store = owned(library.store, ctx.data);
    ctx.publicStore = owned(library.publicStore, ctx.data);
    expect(await remains(library)).toEqual([]);
    if (place === "disk") expect((await library.fetch(url)).status).toBe(410);
    await finishRemovals(ctx);
    expect(await keys(library)).toEqual([]);
    expect(await ctx.data.unfinishedRemovals(1)).toEqual([]);
    expect(await doctor(library)).toEqual([]);
  });
});
