/** A person who is erased is named nowhere, and what they did still counts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { withManifests } from "../../../src/api/backup/manifest.ts";
import { restore } from "../../../src/api/backup/restore.ts";
import { openArchive, writeTar } from "../../../src/api/backup/targets.ts";
import { checkRows } from "../../../src/api/doctor/inconsistencies.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { finishRemovals } from "../../../src/library/removals/finish.ts";
import type { Removal, RemovalPlan } from "../../../src/library/removals/schema.ts";
import type { CheckList } from "../../../src/memory/checks/schema.ts";
import { options, reports } from "../../support/database/backup.ts";
import { dialects, event, rowsOf, temporaryFolder } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { createShare, openLink, verdict } from "../../support/review/shares.ts";

const [reason, name] = ["Dana asked for it.", /dana|dkim/i];
const derived = [
  "runs",
  "facets",
  "words",
  "project_words",
  "word_grams",
  "task_usage",
  "person_usage",
  "sessions",
];

/** A command that names someone else is another command, so svc doctor asks for it. */
const disarmed = {
  ...{ level: "warning" as const, what: "rules of decisions" },
  detail: expect.stringContaining("a name in them was erased (#2)"),
};

describe.each(dialects)("on %s", (dialect) => {
  let library: Library;
  let token: string;
  let danas: string;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    token = await library.mint(allScopes, { name: "boss" });
    danas = await library.mint(allScopes, { name: "dana" });
  });
  afterAll(() => library.close());

  const erase = (subject: string, more = {}) =>
    library.say<Removal>("/removals", { token, json: { kind: "person", subject, reason, ...more } });
  const plan = async (subject: string) =>
    library.say<RemovalPlan>(`/removals/plan?kind=person&subject=${subject}`, { token });
  const remains = async () => {
    const all = new Set<string>();
    await library.ctx.data.snapshot(async (rows) => {
      for (const table of rows.tables)
        for await (const page of rows.rows(table))
          for (const row of page)
            if (name.test(JSON.stringify(row))) all.add(`${table} ${JSON.stringify(row)}`);
    });
    for (const table of derived)
      for (const row of await rowsOf(library.url, `select * from ${table}`))
        if (name.test(JSON.stringify(row))) all.add(`${table} ${JSON.stringify(row)}`);
    if (dialect === "sqlite")
      for (const suffix of ["", "-wal"]) {
        const bytes = await readFile(library.url.replace("sqlite:", "") + suffix).catch(() => "");
        if (name.test(bytes.toString("latin1"))) all.add(`file${suffix}`);
      }
    return [...all];
  };
  const doctor = async () =>
    (await checkRows(library.ctx, { deep: true })).filter(({ level }) => level !== "ok");

  async function work(): Promise<void> {
    const { data } = library.ctx;
    await library.say("/people/dana", {
      token,
      method: "PUT",
      json: { name: "Dana Kim", link: ["email:dana@example.com", "github:dkim"] },
    });
    for (const actor of ["human:dana", "human:Dana", "agent:dkim", "human:ana"])
      await data.append([
        event({ kind: "run.started", project: "atlas", actor, issue: 7, summary: "Fix it, says Dana Kim" }),
        event({ kind: "run.failed", project: "atlas", actor, issue: 7, cost_equiv: 2, person: "dana" }),
        event({ kind: "pr.merged", project: "atlas", actor, payload: { by: "dana@example.com" } }),
      ]);
    const json = { project: "atlas", text: "Dana Kim decides on maps; ask @dkim or dana@example.com." };
    await library.say("/decisions", { token: danas, json });
    const checks = [
      { kind: "run", run: "make check-dana" },
      { kind: "forbid", text: "#FF0000" },
    ];
    await library.say("/decisions", { token: danas, json: { ...json, text: "Checked", checks } });
    const map = await library.upload({ project: "atlas", title: "Map for Dana", by: "human:dana" });
    for (const name of ["dana", "Dana", "DANA"])
      await data.atomically((writes) =>
        writes.saveVerdict({
          ...{ asset: map.body.id, project: "atlas", sha256: map.body.sha256, decision: "approved" },
          ...{ voter: name, principal: name, reviewer: `human:${name}`, role: null, note: null },
          ...{ checklist: null, at: library.clock.now() },
        }),
      );
    await reviewAsGuest("Dana Kim");
  }

  /** A review through a link, which is made for the person and used under their name. */
  async function reviewAsGuest(guest: string): Promise<void> {
    const asset = await library.plant({ bytes: `for ${crypto.randomUUID()}` });
    const { link } = await createShare(library, asset.id, { recipient: guest, rights: "verdict" });
    await (await openLink(library, link)).send("verdict", verdict(asset, { name: guest }));
  }

  test("names in any case go from every table, search and file, counts stay, and the token ends", async () => {
    await work();
    const costs = () => rowsOf(library.url, "select sum(cost_equiv) as cost from person_usage");
    await library.ctx.data.usage("atlas", "2000-01-01");
    const before = await costs();
    const { body } = await plan("dana");
    expect(body.names).toEqual(["dana", "Dana Kim", "dana@example.com", "dkim", "Dana-Kim"]);
    expect(body.places.find(({ place }) => place === "events")?.rows).toBeGreaterThan(12);
    const rules = async () =>
      (await library.say<CheckList>("/projects/atlas/checks", { token })).body.checks.map(
        ({ rule }) => rule.kind,
      );
    expect(await rules()).toEqual(["run", "forbid"]);
    const removed = await erase("dana");
    // A command that names someone else is another command: a person saves it again.
    expect(await rules()).toEqual(["forbid"]);
    expect([removed.status, removed.body]).toMatchObject([
      200,
      { kind: "person", subject: "erased-1", reason: "erased-1 asked for it.", removed_by: "token:boss" },
    ]);
    expect(await remains()).toEqual([]);
    expect(await costs()).toEqual(before);
    expect((await library.ask("/api/v1/feed", { token: danas })).status).toBe(401);
    const own = "select voter from verdicts where reviewer = 'human:erased-1'";
    expect((await rowsOf(library.url, own)).length).toBe(3);
    const [decision] = await rowsOf(library.url, "select text from decisions");
    expect(decision?.text).toBe("Erased person 1 decides on maps; ask @erased-1-3 or erased-1-2.");
    const audit = await library.ctx.data.audit({ what: ["takeBack"], limit: 1 });
    expect(audit).toMatchObject([{ who: "boss", target: "erased-1", status: 200 }]);
    const shares = await rowsOf(library.url, "select recipient, reviewer, revoked_at from shares");
    expect(shares).toMatchObject([{ recipient: "Erased person 1", reviewer: "Erased person 1" }]);
    expect(shares[0]?.revoked_at).not.toBeNull();
    const views = await rowsOf(library.url, "select name from share_views where name is not null");
    expect(views).toEqual([{ name: "Erased person 1" }]);
    const [verdictRow] = await rowsOf(
      library.url,
      "select reviewed_by from assets where reviewed_by is not null",
    );
    expect(verdictRow?.reviewed_by).toBe("human:erased-1-4(not-verified)");
    expect(await doctor()).toEqual([disarmed]);
    expect((await plan("dana")).status).toBe(404);
  });

  test("a restore of an older backup erases them again", async () => {
    const { ctx } = library;
    library.clock.advance(1);
    danas = await library.mint(allScopes, { name: "dana" });
    await work();
    await using folder = await temporaryFolder();
    const tar = join(folder.path, "svc.tar");
    const { entries, summary } = openBackupContents(ctx, { bytes: false });
    await writeTar(tar, withManifests(entries, summary, reports), ctx.config.s3);
    expect((await erase("dana")).body.subject).toBe("erased-2");
    await restore(ctx, await openArchive(tar, ctx.config.s3), { ...options, force: true, bytes: false });
    await finishRemovals(ctx);
    expect(await remains()).toEqual([]);
    expect(await doctor()).toEqual([disarmed]);
  });
});
