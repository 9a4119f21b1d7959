/**
 * Each store belongs to one deployment: nothing is deleted from the store of another one, or from one of
 * which that is not known.
 */
import { describe, expect, spyOn, test } from "bun:test";
import { appendFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileIdentity } from "../../../db/engine/sqlite-file.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { deploymentKey } from "../../../src/files/stores/keys.ts";
import { cleanUpAssets } from "../../../src/library/assets/cleanup/retention.ts";
import { command } from "../../support/commands/command.ts";
import {
  createDatabase,
  freshDatabase,
  must,
  openTestData,
  owned,
  startServer,
  temporaryFolder,
  until,
} from "../../support/harness.ts";
import { openLibrary, openPlace, places } from "../../support/library.ts";

const orphan = "atlas/01ARZ3NDEKTSV4RRFFQ69G5FAV/a.txt";
const options = { type: "text/plain", maxBytes: 99 };
const bytes = () => new Blob(["x"]).stream();

test("a copied database has the same identity before and after its first change", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "copy.db");
  await writeFile(path, "copied");
  const identity = fileIdentity(path);
  await appendFile(path, "changed");
  expect(fileIdentity(path)).toBe(identity);
});

describe.each(places)("a store on %s", (place) => {
  test("belongs to its first deployment, and its id is not listed, served or backed up", async () => {
    await using library = await openLibrary("sqlite", place);
    expect([library.ctx.store?.lastOwner(), library.ctx.publicStore?.lastOwner()]).toEqual(["this", "this"]);
    const mark = must(await library.publicStore.get(deploymentKey));
    expect((await new Response(mark.body).text()).trim()).toBe(await library.ctx.data.deployment());
    expect([await library.keys(), await library.keys(library.publicStore)]).toEqual([[], []]);
    expect((await library.ask(`/media/${deploymentKey}`)).status).toBe(404);
  });

  test("with objects but no id, as before an upgrade, loses nothing until it is taken over", async () => {
    await using opened = await openPlace(place);
    await opened.store.put(orphan, bytes(), options);
    await using app = await openTestData("sqlite");
    const store = must(owned(opened.store, app.data));
    expect(await store.owner()).toBe("unknown");
    expect(store.delete(orphan)).rejects.toMatchObject({
      status: 503,
      detail: expect.stringContaining("svc doctor --take-over"),
    });
    expect(store.deleteLeftovers(new Date())).rejects.toMatchObject({ status: 503 });
    await store.put(orphan.replace("a.txt", "b.txt"), bytes(), options); // uploads go on
    expect(await store.owner()).toBe("unknown");
    await store.takeOver();
    expect(store.lastOwner()).toBe("this");
    await store.delete(orphan);
    expect(await opened.store.stat(orphan)).toBeNull();
  });

  test("loses nothing to its former deployment a minute after another one took it over", async () => {
    await using opened = await openPlace(place);
    await using former = await openTestData("sqlite");
    await using other = await openTestData("sqlite");
    const store = must(owned(opened.store, former.data));
    await store.put(orphan, bytes(), options);
    await must(owned(opened.store, other.data)).takeOver();
    const clock = spyOn(performance, "now").mockReturnValue(performance.now() + 60_000);
    try {
      await expect(store.delete(orphan)).rejects.toMatchObject({ status: 503 });
    } finally {
      clock.mockRestore();
    }
    expect(await opened.store.stat(orphan)).not.toBeNull();
  });

  test("belongs to a deployment of which another process claims it at the same time", async () => {
    await using opened = await openPlace(place);
    await using app = await openTestData("sqlite");
    const other = must(owned(opened.store, app.data));
    let isFirst = true;
    const list: typeof opened.store.list = async function* (prefix, after) {
      if (isFirst) await other.put(orphan, bytes(), options);
      isFirst = false;
      yield* opened.store.list(prefix, after);
    };
    const store = must(owned({ ...opened.store, list }, app.data));
    expect(await store.owner()).toBe("this");
  });

  test("of another deployment loses nothing to cleanup, even if it was taken over after this one started", async () => {
    await using library = await openLibrary("sqlite", place);
    const { id } = (await library.upload({ project: "atlas" })).body;
    await library.review(id, { decision: "rejected", note: "No." });
    await library.store.put(orphan, bytes(), options);
    const before = await library.keys();
    await using other = await openTestData("sqlite");
    await must(owned(library.store, other.data)).takeOver();
    library.clock.advance(400 * dayMicros);
    expect(await cleanUpAssets(library.ctx)).toMatchObject({ expired: 0, orphans: 0 });
    expect(await library.keys()).toEqual(before);
    expect((await library.ctx.data.asset(null, id))?.key).not.toBeNull();
    await must(library.ctx.store).takeOver();
    expect(await cleanUpAssets(library.ctx)).toMatchObject({ expired: 1, orphans: 1 });
    expect(await library.keys()).toEqual([]);
  });

  test("of another deployment is reported by the log, /readyz and svc doctor until svc doctor --take-over", async () => {
    await using stores = await openPlace(place);
    await using first = await freshDatabase("sqlite");
    await using second = await freshDatabase("sqlite");
    for (const { url } of [first, second]) await createDatabase(url);
    expect((await command(["doctor"], { ...stores.env, SVC_DATABASE_URL: first.url })).code).toBe(0);
    const env = { ...stores.env, SVC_DATABASE_URL: second.url };
    const doctor = async (...flags: string[]) => {
      const { code, output } = await command(["doctor", "--json", ...flags], env);
      const found = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      return {
        code,
        found: found.filter(({ detail }) => /belongs to another deployment|^the asset and/.test(detail)),
      };
    };
    const found = ["asset store", "public store"].map((what) => ({
      ...{
        what,
        level: "error",
        detail: expect.stringContaining("if that one is gone, run svc doctor --take-over"),
      },
    }));
    expect(await doctor()).toEqual({ code: 1, found });
    await using server = await startServer(second, stores.env);
    await until(
      () => /public store is not this deployment's own/.test(server.errors()),
      "the log has a line for each store",
    );
    expect(server.errors()).toContain(
      "the asset store is not this deployment's own: it belongs to another deployment",
    );
    const ready = await fetch(`${server.origin}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: "ok",
        details: ["asset", "public"].map((name) =>
          expect.stringMatching(new RegExp(`^${name} store: it belongs to another`)),
        ),
      },
    ]);
    expect(await doctor("--take-over")).toEqual({
      code: 0,
      found: [{ what: "taken over", level: "ok", detail: "the asset and the public store" }],
    });
    expect(await doctor()).toEqual({ code: 0, found: [] });
  });
});

test("svc restore gives a database that held rows a new deployment id, unless it takes the stores over", async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: folder.path };
  await command(["project", "link", "atlas", "--repo", "acme/atlas"], env);
  expect((await command(["doctor"], env)).code).toBe(0);
  const backup = join(folder.path, "backup.tar");
  expect((await command(["backup", backup], env)).code).toBe(0);
  const owner = async () => /another deployment/.test((await command(["doctor"], env)).output);
  const restored = await command(["restore", "--force", backup], env);
  expect(restored).toMatchObject({
    code: 0,
    errors: expect.stringContaining("asset store: it belongs to another deployment"),
  });
  expect(await owner()).toBe(true);
  expect((await command(["restore", "--force", "--take-over", backup], env)).errors).not.toContain(
    "another deployment",
  );
  expect(await owner()).toBe(false);
  // Into an empty database beside a full store, as after a lost disk.
  await using fresh = await freshDatabase("sqlite");
  const elsewhere = { ...env, SVC_DATABASE_URL: fresh.url };
  expect((await command(["restore", "--take-over", backup], elsewhere)).code).toBe(0);
  expect((await command(["doctor"], elsewhere)).output).not.toContain("another deployment");
});

test("a database keeps its id when it is opened again or renamed", async () => {
  await using folder = await temporaryFolder();
  const env = { SVC_DATA_DIR: folder.path };
  await createDatabase(`sqlite:${join(folder.path, "svc.db")}`);
  expect((await command(["doctor"], env)).output).not.toContain("another deployment");
  await rename(join(folder.path, "svc.db"), join(folder.path, "other.db"));
  const renamed = { ...env, SVC_DATABASE_URL: `sqlite:${join(folder.path, "other.db")}` };
  expect((await command(["doctor"], renamed)).output).not.toContain("another deployment");
});
