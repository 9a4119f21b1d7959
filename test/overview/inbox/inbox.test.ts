/** `GET /inbox`: what is in it, for whom, and what leaves it by itself; done and snooze. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { allScopes, type Scope } from "../../../src/core/auth/scopes.ts";
import { dayMicros, fromMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { Inbox, Marked } from "../../../src/overview/inbox/schema.ts";
import { signIn } from "../../support/browser/site.ts";
import { dialects, event, link } from "../../support/harness.ts";
import { base } from "../../support/http/input.ts";
import { type Library, openLibrary } from "../../support/library.ts";

const hourMicros = 3_600 * secondMicros;
const readOnly: Scope[] = ["feed:read", "assets:read"];

describe.each(dialects)("the inbox on %s", (dialect) => {
  let library: Library;
  let project = "";
  let people = 0;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
  });
  afterAll(() => library[Symbol.asyncDispose]());
  // Each test has a project and people of its own.
  beforeEach(async () => {
    project = `project-${++people}`;
    await link(library.ctx.data, project);
    library.clock.advance(secondMicros);
  });

  const mint = (scopes: readonly Scope[] = allScopes, name = `ana-${++people}`, projects = [project]) =>
    library.mint(scopes, { name, projects });
  const inboxOf = async (token: string): Promise<Inbox> =>
    (await (await library.ask(`${base}/inbox`, { token })).json()) as Inbox;
  const viewOf = async (token: string, view: "done" | "snoozed"): Promise<Inbox["items"]> =>
    ((await (await library.ask(`${base}/inbox?view=${view}`, { token })).json()) as Inbox).items;
  const shownTo = async (token: string) =>
    (await inboxOf(token)).items.map(({ reason, title }) => `${reason}: ${title}`);
  const post = (token: string, path: string, json: object) => library.ask(`${base}${path}`, { token, json });
  const mark = async (token: string, path: string, json: object): Promise<Marked> =>
    (await (await post(token, path, json)).json()) as Marked;
  const plant = (title: string, replaces?: string) => library.plant({ project, title }, replaces);
  const append = (fields: object) => library.ctx.data.append([event({ project, ...fields })]);
  const fail = (summary: string, fields: object = {}) => append({ kind: "run.failed", summary, ...fields });

  test("has what waits for a review, newest first, with its page, for those who can review", async () => {
    const token = await mint();
    const { id } = await plant("Berth map");
    library.clock.advance(secondMicros);
    await plant("Tides");
    const { items, count } = await inboxOf(token);
    expect(items.map(({ title }) => title)).toEqual(["Tides", "Berth map"]);
    expect(count).toBe(2);
    expect(items[1]).toMatchObject({
      ...{ id: `review-${id}`, reason: "review", action: "Review", project },
      url: `http://svc.test/assets/${id}?project=${project}`,
    });
    expect(await shownTo(await mint(readOnly))).toEqual([]);
    await library.review(id, { decision: "approved" });
    expect(await shownTo(token)).toEqual(["review: Tides"]);
  });

  test("has a rejection for the asset's author, until they upload a new version", async () => {
    const name = `ben-${++people}`;
    const [ben, other] = [await mint(readOnly, name), await mint(readOnly)];
    const made = await library.plant({ project, title: "Chart", created_by: `human:${name}` });
    await library.review(made.id, { decision: "rejected", note: "Too dark" });
    expect((await inboxOf(ben)).items).toMatchObject([
      { id: `rejected-${made.id}`, reason: "rejected", title: "Chart", detail: "Too dark" },
    ]);
    expect(await shownTo(other)).toEqual([]);
    await plant("Chart", made.id);
    expect(await shownTo(ben)).toEqual([]);
  });

  test("has the variants of a set as one item, for reviewers and for their author", async () => {
    const name = `cy-${++people}`;
    const [reviewer, author] = [await mint(), await mint(readOnly, name)];
    const ids: string[] = [];
    for (let n = 1; n <= 3; n++) {
      const made = { project, title: `v${n}`, set: "hero", created_by: `human:${name}` };
      ids.push((await library.plant(made)).id);
    }
    const shared = { title: "hero", url: `http://svc.test/projects/${project}/sets/hero` };
    const [item, ...others] = (await inboxOf(reviewer)).items;
    expect([item, others]).toMatchObject([{ reason: "review", ...shared }, []]);
    expect(item?.detail).toStartWith("3 variants to pick from");
    for (const id of ids) await library.review(id, { decision: "rejected", note: "Too flat." });
    expect((await inboxOf(author)).items).toMatchObject([
      { reason: "rejected", detail: "3 variants: Too flat.", ...shared },
    ]);
  });

  test("has every set and every project, however many assets are newer", async () => {
    const name = `lee-${++people}`;
    await mint(allScopes, name);
    const other = `busy-${++people}`;
    await link(library.ctx.data, other);
    const both = await mint(allScopes, undefined, [project, other]);
    await plant("Old");
    library.clock.advance(secondMicros);
    for (const title of ["a", "b"]) await library.plant({ project, title, set: "hero" });
    const asked = await plant("Asked of another");
    const reviewers = [name];
    await post(library.token, `/assets/${asked.id}/review-requests`, { reviewers });
    library.clock.advance(secondMicros);
    for (let n = 0; n < 120; n++) await library.plant({ project: other, title: `New ${n}` });
    const { count, items } = await inboxOf(both);
    expect(count).toBe(100);
    expect(items.filter((one) => one.project === project).map(({ title }) => title)).toEqual(["hero", "Old"]);
    const [rest] = items.filter(({ id }) => id === `review-rest-${other}`);
    const path = `/assets?status=pending&project=${other}&order=oldest`;
    expect(rest).toMatchObject({ reason: "review", title: "70 more assets", url: `http://svc.test${path}` });
    await mark(both, "/inbox/done", { ids: [`review-rest-${other}`] });
    expect((await inboxOf(both)).count).toBe(52);
    library.clock.advance(secondMicros);
    for (let n = 0; n < 51; n++) await library.plant({ project: other, title: `Newer ${n}` });
    expect((await inboxOf(both)).items.map(({ title }) => title)).toContain("121 more assets");
  });

  test("has the last failure of a task or run, until it is retried with success", async () => {
    const token = await mint(readOnly);
    await fail("First try", { issue: 7, lane: "code", run_id: "a" });
    await fail("Second try", { issue: 7, lane: "code", run_id: "b" });
    await fail("Other lane", { issue: 7, lane: "review", run_id: "c" });
    await fail("No task", { run_id: "d" });
    expect(await shownTo(token)).toEqual([
      "run_failed: No task",
      "run_failed: Other lane",
      "run_failed: Second try",
    ]);
    expect((await inboxOf(token)).items[0]?.url).toBe(`http://svc.test/runs/d?project=${project}`);
    library.clock.advance(61 * secondMicros);
    await append({ kind: "run.finished", issue: 7, lane: "code", run_id: "e" });
    await append({ kind: "run.finished", run_id: "d" });
    expect(await shownTo(token)).toEqual(["run_failed: Other lane"]);
    await append({ kind: "issue.closed", issue: 7, summary: "Issue #7 closed" });
    expect(await shownTo(token)).toEqual([]);
    await append({ kind: "issue.opened", issue: 7, summary: "Issue #7 reopened" });
    library.clock.advance(31 * dayMicros);
    expect(await shownTo(token)).toEqual([]);
  });

  test("has runs that stopped reporting, until they go on", async () => {
    const token = await mint(readOnly);
    await append({ kind: "run.started", summary: "Run 9", run_id: "r9" });
    expect(await shownTo(token)).toEqual([]);
    library.clock.advance(library.ctx.config.runTimeoutSeconds * secondMicros + secondMicros);
    expect(await shownTo(token)).toEqual(["run_lost: Run 9"]);
    await append({ kind: "step.usage", summary: "Step", run_id: "r9" });
    expect(await shownTo(token)).toEqual([]);
  });

  test("hides what a person marked as done, for them alone, until something new happens", async () => {
    const [ana, ben] = [await mint(readOnly), await mint(readOnly)];
    await fail("No berths", { issue: 8 });
    const [item] = (await inboxOf(ana)).items;
    const ids = [item?.id as string];
    const unknown = ["run-404"];
    const marked = await mark(ana, "/inbox/done", { ids: [...ids, ...unknown] });
    expect(marked).toEqual({ count: 0, until: null, unknown });
    expect([await shownTo(ana), await shownTo(ben)]).toEqual([[], ["run_failed: No berths"]]);
    expect((await mark(ana, "/inbox/done", { ids, done: false })).count).toBe(1);
    await mark(ana, "/inbox/done", { ids });
    expect((await viewOf(ana, "done")).map(({ title }) => title)).toEqual(["No berths"]);
    expect(await viewOf(ben, "done")).toEqual([]);
    library.clock.advance(secondMicros);
    await fail("Again no berths", { issue: 8 });
    expect(await shownTo(ana)).toEqual(["run_failed: Again no berths"]);
  });

  test("brings a snoozed item back on top when the snooze ends", async () => {
    const token = await mint(readOnly);
    await fail("Old", { issue: 1 });
    const ids = (await inboxOf(token)).items.map(({ id }) => id);
    const { until, count } = await mark(token, "/inbox/snooze", { ids, for: "hour" });
    expect([until, count]).toEqual([fromMicros(library.clock.now() + hourMicros), 0]);
    expect((await inboxOf(token)).snoozed).toBe(1);
    expect(await viewOf(token, "snoozed")).toMatchObject([{ title: "Old", until }]);
    await fail("New", { issue: 2 });
    library.clock.advance(hourMicros);
    const { items, snoozed } = await inboxOf(token);
    expect([items.map(({ title }) => title), snoozed]).toEqual([["Old", "New"], 0]);
    expect(items[0]?.at).toBe(until as string);
  });

  test("is one for a person's token and their sessions", async () => {
    const token = await mint(allScopes, "mara", [project]);
    const { id } = await plant("Map");
    const { cookie } = await signIn(library, token);
    await mark(token, "/inbox/done", { ids: [`review-${id}`] });
    const found = await library.ask("/web/inbox", { headers: { cookie } });
    expect(((await found.json()) as Inbox).items).toEqual([]);
  });

  test("refuses marks without a token, unknown time zones and too many items", async () => {
    const token = await mint(readOnly);
    const ids = ["run-1"];
    expect((await library.ask(`${base}/inbox/done`, { json: { ids } })).status).toBe(401);
    const refused = await post(token, "/inbox/snooze", { ids, for: "tomorrow", time_zone: "Mars/Crater" });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("Europe/Lisbon")]);
    const many = Array.from({ length: 101 }, (_, n) => `run-${n}`);
    expect((await post(token, "/inbox/done", { ids: many })).status).toBe(400);
  });
});
