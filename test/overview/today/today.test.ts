/** `GET /today` and `POST /today/read`: what waits, and what happened since the last visit. */
import { describe, expect, test } from "bun:test";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { fromMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { EventKind } from "../../../src/feed/schema.ts";
import type { Inbox } from "../../../src/overview/inbox/schema.ts";
import type { ReadMarker, Today } from "../../../src/overview/today/schema.ts";
import { signIn } from "../../support/browser/site.ts";
import { dialects, event, link, openApp, type TestApp } from "../../support/harness.ts";
import { base } from "../../support/http/input.ts";
import { openLibrary } from "../../support/library.ts";

const dayMicros = 86_400 * secondMicros;
const weekMicros = 7 * dayMicros;

const today = async (app: TestApp, token: string): Promise<Today> =>
  (await (await app.ask(`${base}/today`, { token })).json()) as Today;
const markAsRead = async (app: TestApp, token: string, until: string): Promise<ReadMarker> =>
  (await (await app.ask(`${base}/today/read`, { token, json: { until } })).json()) as ReadMarker;
const summaries = ({ events }: Today["failures"]): string[] => events.map(({ summary }) => summary);

describe.each(dialects)("today on %s", (dialect) => {
  test("lists pending assets by project: the project that waits longest first, its oldest asset first", async () => {
    await using library = await openLibrary(dialect, "disk");
    await link(library.ctx.data, "beacon");
    await link(library.ctx.data, "quiet");
    const plant = async (project: string, title: string, replaces?: string) => {
      library.clock.advance(secondMicros);
      return library.plant({ project, title }, replaces);
    };
    const old = await plant("beacon", "Old");
    for (const title of ["A", "B", "C", "D", "E"]) await plant("atlas", title);
    await plant("beacon", "New", old.id);
    const approved = await plant("quiet", "Approved");
    await library.review(approved.id, { decision: "approved" });
    const token = await library.mint(allScopes);
    const { reviews } = await today(library, token);
    expect(reviews?.count).toBe(6);
    expect(
      reviews?.queues.map(({ project, count, oldest }) => [project, count, oldest.map((one) => one.title)]),
    ).toEqual([
      ["atlas", 5, ["A", "B", "C", "D"]],
      ["beacon", 1, ["New"]],
    ]);
    const limited = await library.mint(allScopes, { name: "limited", projects: ["beacon", "quiet"] });
    expect((await today(library, limited)).reviews?.queues.map(({ project }) => project)).toEqual(["beacon"]);
    const reader = await library.mint(["feed:read"], { name: "reader" });
    expect((await today(library, reader)).reviews).toBeNull();
  });

  test("starts a week ago, and after marking, with what came later", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const token = await app.mint(["feed:read"]);
    const fail = (summary: string) =>
      app.ctx.data.append([event({ project: "atlas", kind: "run.failed", summary })]);
    await fail("Long ago");
    app.clock.advance(weekMicros + secondMicros);
    await fail("Run 1 failed");
    const first = await today(app, token);
    expect(first.since).toBe(fromMicros(app.clock.now() - weekMicros));
    expect(summaries(first.failures)).toEqual(["Run 1 failed"]);
    await fail("Run 2 failed"); // after the answer, so it stays unread
    expect(await markAsRead(app, token, first.until)).toEqual({ since: first.until });
    app.clock.advance(2 * weekMicros);
    const second = await today(app, token);
    expect([second.since, summaries(second.failures)]).toEqual([first.until, ["Run 2 failed"]]);
    await markAsRead(app, token, second.until);
    await markAsRead(app, token, first.until);
    expect((await today(app, token)).since).toBe(second.until);
    await markAsRead(app, token, "2999-01-01T00:00:00Z");
    await fail("Run 3 failed");
    expect(summaries((await today(app, token)).failures)).toEqual(["Run 3 failed"]);
  });

  test("keeps one marker for a person's sessions and tokens, and one for each person", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    const [ana, ben] = [
      await app.mint(["feed:read"], { name: "ana" }),
      await app.mint(["feed:read"], { name: "ben" }),
    ];
    const { until } = await today(app, ana);
    const { cookie } = await signIn(app, ana);
    const csrf = /name="csrf" content="([^"]+)"/.exec(
      await (await app.ask("/docs", { headers: { cookie } })).text(),
    );
    const headers = { cookie, "x-csrf-token": csrf?.[1] ?? "", origin: "http://svc.test" };
    expect((await app.ask("/web/today/read", { headers, json: { until } })).status).toBe(200);
    expect((await today(app, ana)).since).toBe(until);
    expect((await today(app, ben)).since).toBe(fromMicros(app.clock.now() - weekMicros));
  });

  test("counts failures up to 100, and shows the newest of them, within the caller's projects", async () => {
    await using app = await openApp(dialect);
    for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
    const one = (kind: "run.failed" | "preview.failed", n: number, project = "atlas") =>
      event({ project, kind, summary: `${kind} ${n}` });
    await app.ctx.data.append([
      ...Array.from({ length: 60 }, (_, n) => one("run.failed", n)),
      ...Array.from({ length: 60 }, (_, n) => one("preview.failed", n)),
      one("run.failed", 1, "beacon"),
    ]);
    const all = await today(app, await app.mint(["feed:read"]));
    expect([all.failures.count, all.failures.events.length]).toEqual([100, 10]);
    expect(summaries(all.failures).slice(0, 2)).toEqual(["run.failed 1", "preview.failed 59"]);
    const limited = await app.mint(["feed:read"], { name: "limited", projects: ["beacon"] });
    expect((await today(app, limited)).failures.count).toBe(1);
  });

  test("says what happened in a sentence a task: its runs, those made up for, its cost, and what was merged", async () => {
    await using app = await openApp(dialect);
    for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
    const token = await app.mint(["feed:read"], { name: "limited", projects: ["atlas"] });
    const append = (kind: EventKind, fields: object, project = "atlas") => {
      app.clock.advance(secondMicros);
      return app.ctx.data.append([event({ project, kind, ...fields })]);
    };
    const finish = (issue: number | null, run_id: string, cost_equiv: number) =>
      append("run.finished", { issue, run_id, cost_equiv, summary: `Ended ${run_id}` });
    await append("issue.opened", { issue: 466, summary: "Issue #466 opened: Warn of arrivals" });
    await finish(466, "warn", 0.41);
    await append("issue.opened", { issue: 7, summary: "Issue #7 opened: Berths" });
    for (const run_id of ["a", "b", "c"])
      await append("run.failed", { issue: 7, run_id, summary: "No space" });
    await finish(7, "d", 0.2);
    await append("run.failed", { issue: 9, run_id: "open", summary: "Not made up for" });
    await append("pr.merged", { pr: 470, issue: 466, summary: "PR #470 merged: Warn of arrivals" });
    await append("pr.merged", { pr: 471, summary: "PR #471 merged: Update the tides" });
    await append("run.finished", { run_id: "other", summary: "Elsewhere" }, "beacon");
    const { happened } = await today(app, token);
    expect(happened.tasks.map(({ title, text, url }) => [title, text, new URL(url).pathname])).toEqual([
      ["Update the tides", "merged as #471", "/projects/atlas/pulls/471"],
      ["Warn of arrivals", "1 run, $0.41, merged as #470", "/projects/atlas/issues/466"],
      ["Berths", "3 failed, then passed, $0.20", "/projects/atlas/issues/7"],
    ]);
    expect(happened.count).toBe(3);
  });

  test("has no failure and no lost run that was repaired, and neither has the inbox", async () => {
    await using app = await openApp(dialect, { SVC_RUN_TIMEOUT: "60" });
    await link(app.ctx.data, "atlas");
    const token = await app.mint(["feed:read"]);
    const append = (kind: EventKind, fields: object) =>
      app.ctx.data.append([event({ project: "atlas", kind, ...fields })]);
    const ci = (outcome: string, run: number, branch = "main") => ({
      ...{ actor: "runner:github-actions", run_id: `github-actions/${run}/1` },
      summary: `CI #${run} on ${branch}: ${outcome}`,
    });
    await append("issue.opened", { issue: 1, summary: "Issue #1 opened: Berths" });
    await append("run.failed", { issue: 1, run_id: "of-issue", summary: "closed issue" });
    await append("run.failed", { pr: 2, run_id: "of-pr", summary: "merged" });
    await append("run.failed", { issue: 3, run_id: "first", summary: "retried" });
    await append("run.started", { issue: 3, run_id: "silent", summary: "lost, retried" });
    await append("run.failed", { issue: 4, run_id: "open", summary: "canceled retry" });
    await append("run.started", { issue: 5, run_id: "gone", summary: "lost" });
    await append("run.failed", ci("failure", 7));
    await append("run.failed", ci("failure", 8, "dev"));
    await append("preview.failed", { pr: 6, summary: "Preview failed" });
    await append("preview.failed", { pr: 9, summary: "Preview failed again" });
    app.clock.advance(61 * secondMicros);
    const failed = async () => {
      const { failures, lost } = await today(app, token);
      const { items } = (await (await app.ask(`${base}/inbox`, { token })).json()) as Inbox;
      return {
        today: [...summaries(failures), ...lost.runs.map(({ summary }) => summary)],
        inbox: items.map(({ title }) => title),
      };
    };
    expect((await failed()).today).toHaveLength(10);
    await append("issue.closed", { issue: 1, summary: "Issue #1 closed" });
    await append("pr.merged", { pr: 2, summary: "PR #2 merged" });
    await append("run.finished", { issue: 3, run_id: "second", summary: "Done" });
    await append("run.finished", { issue: 4, run_id: "stopped", summary: "make cancelled" });
    await append("run.finished", ci("success", 9));
    await append("run.finished", ci("cancelled", 10, "dev"));
    await append("preview.ready", { pr: 6, summary: "Preview ready" });
    const left = ["Preview failed again", "CI #8 on dev: failure", "canceled retry", "lost"];
    const { today: shown, inbox } = await failed();
    expect(shown).toEqual(left);
    expect(inbox.toSorted()).toEqual(left.toSorted());
  });

  test("has the current decisions since, for callers who may read the memory of their project", async () => {
    await using app = await openApp(dialect);
    for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
    const token = await app.mint(["feed:read", "memory:read", "memory:write"]);
    const decide = async (fields: object) =>
      (await (await app.ask(`${base}/decisions`, { token, json: fields })).json()) as { id: number };
    const old = await decide({ project: "atlas", text: "PNG" });
    await markAsRead(app, token, (await today(app, token)).until);
    app.clock.advance(secondMicros);
    const { id } = await decide({ project: "atlas", text: "SVG", supersedes: old.id });
    for (let n = 0; n < 11; n++) await decide({ project: "beacon", text: `Rule ${n}` });
    const { decisions } = await today(app, token);
    expect([decisions?.count, decisions?.decisions.length]).toEqual([12, 10]);
    expect(decisions?.decisions[0]).toMatchObject({ project: "beacon", text: "Rule 10" });
    const limited = await app.mint(["feed:read", "memory:read"], { name: "limited", projects: ["atlas"] });
    expect((await today(app, limited)).decisions?.decisions.map((one) => one.id)).toEqual([id]);
    expect((await today(app, await app.mint(["feed:read"], { name: "reader" }))).decisions).toBeNull();
  });

  test("compares today's spend with the median of the two weeks before", async () => {
    await using app = await openApp(dialect);
    for (const slug of ["atlas", "beacon", "quiet"]) await link(app.ctx.data, slug);
    const spend = (daysAgo: number, cost_equiv: number, project = "atlas") =>
      event({ project, cost_equiv, ts: app.clock.now() - daysAgo * dayMicros });
    await app.ctx.data.append([
      ...Array.from({ length: 14 }, (_, at) => spend(at + 1, at < 8 ? 2 : 1)),
      ...[spend(15, 100), spend(0, 3), spend(0, 0.5, "beacon")],
    ]);
    const { spend: found } = await today(app, await app.mint(["feed:read"]));
    expect([found.today, found.usual, found.days.length]).toEqual([3.5, 2, 15]);
    expect(found.days.slice(-2)).toEqual([
      { day: "2026-02-28", cost_equiv: 2 },
      { day: "2026-03-01", cost_equiv: 3.5 },
    ]);
    const limited = await app.mint(["feed:read"], { name: "limited", projects: ["beacon"] });
    expect((await today(app, limited)).spend.today).toBe(0.5);
  });
});

describe("marking as read", () => {
  test("needs a token, also with public read; without one, Today starts a week ago", async () => {
    await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
    const { since, until } = (await (await app.ask(`${base}/today`)).json()) as Today;
    expect(since).toBe(fromMicros(app.clock.now() - weekMicros));
    expect((await app.ask(`${base}/today/read`, { json: { until } })).status).toBe(401);
  });
});
