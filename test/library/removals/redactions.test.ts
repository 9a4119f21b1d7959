/** A redacted text is gone wherever it stood, and each place says who redacted it, when and why. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openBackupContents } from "../../../src/api/backup/contents.ts";
import { withManifests } from "../../../src/api/backup/manifest.ts";
import { restore } from "../../../src/api/backup/restore.ts";
import { openArchive, writeTar } from "../../../src/api/backup/targets.ts";
import { checkRows } from "../../../src/api/doctor/inconsistencies.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import type { FeedPage } from "../../../src/feed/schema.ts";
import type { LibraryWrites } from "../../../src/library/port.ts";
import { finishRemovals } from "../../../src/library/removals/finish.ts";
import type { Removal, RemovalList, RemovalPlan } from "../../../src/library/removals/schema.ts";
import { page, signIn } from "../../support/browser/site.ts";
import { options, reports } from "../../support/database/backup.ts";
import { event, must, rowsOf, temporaryFolder } from "../../support/harness.ts";
import { combinations, type Library, openLibrary } from "../../support/library.ts";

const reason = "It names a customer.";
const secret = "Zanzibarquux wants the harbor in teal";

describe.each(combinations.filter(({ place }) => place === "disk"))("on $dialect", ({ dialect, place }) => {
  let library: Library;
  let token: string;
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    token = await library.mint(allScopes, { name: "boss" });
  });
  afterAll(() => library.close());

  const redact = (kind: string, subject: string | number) =>
    library.say<Removal>("/removals", { token, json: { kind, subject: String(subject), reason } });
  const plan = async (kind: string, subject: string | number) =>
    (await library.say<RemovalPlan>(`/removals/plan?kind=${kind}&subject=${subject}`, { token })).body;
  const doctor = async () =>
    (await checkRows(library.ctx, { deep: true })).filter(({ level }) => level !== "ok");
  const offersOn = async (path: string) => {
    const { cookie } = await signIn(library, token);
    const response = await page(library, path, cookie);
    expect(response.status).toBe(200);
    return response.text();
  };
  const remains = async () => {
    const all: string[] = [];
    await library.ctx.data.snapshot(async (rows) => {
      for (const table of rows.tables)
        for await (const page of rows.rows(table))
          for (const row of page) if (JSON.stringify(row).includes("Zanzibarquux")) all.push(table);
    });
    for (const table of ["runs", "words", "project_words", "webhook_deliveries"])
      for (const row of await rowsOf(library.url, `select * from ${table}`))
        if (/zanzibarquux/i.test(JSON.stringify(row))) all.push(table);
    if (dialect === "sqlite")
      for (const suffix of ["", "-wal"]) {
        const path = library.url.replace("sqlite:", "") + suffix;
        if (/zanzibarquux/i.test((await readFile(path).catch(() => "")).toString("latin1")))
          all.push(`file${suffix}`);
      }
    return all;
  };
  const notice = /^\[Redacted by token:boss on \d{4}-\d\d-\d\d: It names a customer\.\]$/;

  test("an event's text is gone from feed, run, search and the files of the database, and a new event says so", async () => {
    const { data } = library.ctx;
    const run_id = "run-1";
    const { added } = await data.append([
      event({
        ...{ kind: "run.failed", project: "atlas", run_id, summary: secret, payload: { secret } },
        ...{ person: "ana", team: "maps", cost_equiv: 2 },
      }),
    ]);
    const { id } = must(added[0]);
    expect(await offersOn("/feed?view=events")).toContain(`event&amp;subject=${id}"`);
    expect((await plan("event", id)).places).toEqual([{ place: "events", rows: 1 }]);
    const { status, body } = await redact("event", id);
    expect([status, body]).toMatchObject([200, { kind: "event", subject: String(id), reason }]);
    expect(body.finished_at).not.toBeNull();
    const events = (await library.say<FeedPage>("/feed", { token })).body.events;
    expect(events.find((one) => one.id === id)?.summary).toMatch(notice);
    expect(events[0]).toMatchObject({ kind: "data.removed", project: "atlas", actor: "bot:boss" });
    expect(await doctor()).toEqual([]);
    const [run] = await rowsOf(library.url, "select summary from runs");
    expect(run?.summary).toMatch(notice);
    expect(await remains()).toEqual([]);
    expect((await redact("event", id)).status).toBe(409);
    expect(await offersOn("/feed?view=events")).not.toContain(`event&amp;subject=${id}"`);
    expect((await redact("event", 999_999)).status).toBe(404);
    expect((await library.say<RemovalList>("/removals", { token })).body.removals).toMatchObject([body]);
  });

  test("a decision's text is gone from the decision, its event, and what quotes it", async () => {
    const { id } = await library.plant({ bytes: "words" });
    await library.review(id, { decision: "rejected", note: secret });
    const [decision] = await rowsOf(library.url, "select id from decisions");
    expect((await remains()).length).toBeGreaterThan(3);
    expect((await redact("decision", Number(decision?.id))).status).toBe(200);
    expect(await remains()).toEqual([]);
    expect((await library.say(`/assets/${id}`)).body.review_note).toMatch(notice);
    expect(await offersOn(`/memory/decisions/${decision?.id}`)).not.toContain("decision&amp;subject");
  });

  test("a decision's text is gone from what its checks stopped, and its checks and anchors go", async () => {
    const forbid = { kind: "forbid", text: secret };
    const json = { project: "atlas", text: secret, checks: [forbid], anchors: [{ path: "Zanzibarquux.md" }] };
    const { id } = (await library.say<{ id: number }>("/decisions", { token, json })).body;
    expect((await library.say(`/decisions/${id}/stops`, { token, json: { key: "a" } })).status).toBe(200);
    expect((await redact("decision", id)).status).toBe(200);
    expect(await remains()).toEqual([]);
  });

  test("a text of few letters is gone where it is quoted, and not where it is part of other words", async () => {
    const json = { project: "atlas", text: "Wxq", checks: [{ kind: "forbid", text: "#FF0000" }] };
    const { id } = (await library.say<{ id: number }>("/decisions", { token, json })).body;
    await library.say(`/decisions/${id}/stops`, { token, json: { key: "short" } });
    const other = { project: "atlas", text: "Use Wxqs", checks: json.checks };
    const kept = (await library.say<{ id: number }>("/decisions", { token, json: other })).body;
    const stop = { token, json: { key: "kept" } };
    expect((await library.say(`/decisions/${kept.id}/stops`, stop)).status).toBe(200);
    expect((await redact("decision", id)).status).toBe(200);
    const rows = await rowsOf(library.url, "select wire from events");
    const left = rows.map(({ wire }) => String(wire)).filter((wire) => wire.includes("Wxq"));
    expect(left.map((wire) => wire.includes("Use Wxqs"))).toEqual([true, true]);
  });

  test("redacting an event of a decision redacts the decision, and an annotation what quotes it", async () => {
    const { id } = await library.plant({ bytes: "words" });
    const json = { body: secret, weight: "must" };
    const annotation = (await library.say<{ id: string }>(`/assets/${id}/annotations`, { json })).body;
    await library.review(id, { decision: "rejected", note: "See the mark." });
    expect((await remains()).length).toBeGreaterThan(2);
    expect((await redact("annotation", annotation.id)).status).toBe(200);
    expect(await remains()).toEqual([]);
    await library.review(id, { decision: "rejected", note: secret });
    const captured = must((await library.events()).filter(({ kind }) => kind === "decision.captured").at(-1));
    expect((await redact("event", Number(captured.id))).status).toBe(200);
    expect(await remains()).toEqual([]);
    expect(await doctor()).toEqual([]);
  });

  test("a restore of an older backup keeps it redacted, and says so", async () => {
    const { ctx } = library;
    const { added } = await ctx.data.append([
      event({ kind: "run.failed", project: "atlas", summary: secret }),
    ]);
    const { id } = must(added[0]);
    await using folder = await temporaryFolder();
    const tar = join(folder.path, "svc.tar");
    const { entries, summary } = openBackupContents(ctx, { bytes: false });
    await writeTar(tar, withManifests(entries, summary, reports), ctx.config.s3);
    await redact("event", id);
    await restore(ctx, await openArchive(tar, ctx.config.s3), { ...options, force: true, bytes: false });
    const [removal] = (await library.say<RemovalList>("/removals", { token })).body.removals;
    expect(removal).toMatchObject({ kind: "event", subject: String(id), finished_at: null });
    await finishRemovals(ctx);
    expect(await remains()).toEqual([]);
  });

  test("a crash at any step: nothing is redacted, or all of it, and the next server removes the copies", async () => {
    const { ctx } = library;
    const { data } = ctx;
    const { added } = await data.append([event({ kind: "run.failed", project: "atlas", summary: secret })]);
    const { id } = must(added[0]);
    const dying =
      (name: keyof LibraryWrites): typeof data.atomically =>
      (work, more) =>
        data.atomically((writes) => {
          const failing = Object.assign(Object.create(writes), {
            [name]: () => Promise.reject(new Error("killed")),
          });
          return work(failing);
        }, more);
    for (const name of ["addRemoval", "rewriteRows", "append", "addAudit"] as const) {
      ctx.data = Object.assign(Object.create(data), { atomically: dying(name) });
      expect((await redact("event", id)).status).toBe(500);
      expect((await plan("event", id)).removal).toBeNull();
      expect(await remains()).toContain("events");
    }
    ctx.data = Object.assign(Object.create(data), { purge: () => Promise.reject(new Error("killed")) });
    expect((await redact("event", id)).body.finished_at).toBeNull();
    ctx.data = data;
    expect(await remains()).not.toContain("events");
    await finishRemovals(ctx);
    expect((await plan("event", id)).removal?.finished_at).toEqual(expect.any(String));
    expect(await remains()).toEqual([]);
  });
});
