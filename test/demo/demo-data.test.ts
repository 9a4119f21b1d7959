/** The data of the demo, at any moment. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Data } from "../../src/api/port.ts";
import { dayMicros, toMicros } from "../../src/core/lib/time.ts";
import { checker } from "../../src/core/lib/validate.ts";
import { kinds } from "../../src/feed/kinds.ts";
import type { ProjectRow, UsageRow } from "../../src/feed/rows.ts";
import { Event } from "../../src/feed/schema.ts";
import { AssetStatus, assetKinds } from "../../src/library/assets/schema.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import { modelOf } from "../../src/memory/models.ts";
import type { DecisionRow } from "../../src/memory/rows.ts";
import { eventsOf, fillDemoAt, slugs } from "../support/demo.ts";
import { assetRowsOf } from "../support/harness.ts";

const ofKind = (events: Event[], ...wanted: Event["kind"][]) =>
  events.filter(({ kind }) => wanted.includes(kind));
const numberIn = (text: string): number => Number(/#?(\d+)/.exec(text)?.[1]);
const sum = (list: number[]): number => list.reduce((total, one) => total + one, 0);
/** List price in USD per million tokens: input, output, cache reads, cache writes. */
const prices: Record<string, [number, number, number, number]> = {
  "claude-sonnet-4-5": [3, 15, 0.3, 3.75],
  "claude-haiku-4-5": [1, 5, 0.1, 1.25],
  "gpt-5.1-codex": [1.25, 10, 0.125, 0],
  "gemini-2.5-pro": [1.25, 10, 0.31, 0],
};
/** Money adds up to the millionth. */
const cents = (usd: number): number => Math.round(usd * 1e6);

interface Demo {
  data: Data;
  events: Event[];
  linked: ProjectRow[];
  assets: AssetRow[];
  decisions: DecisionRow[];
}

async function openDemo(now: number): Promise<Demo> {
  const data = await fillDemoAt(now);
  return {
    data,
    events: await eventsOf(data),
    linked: (await data.projects(null, { limit: 10 })).sort((a, b) => a.slug.localeCompare(b.slug)),
    assets: await assetRowsOf(data),
    decisions: (await Promise.all(slugs.map((slug) => data.currentDecisions(slug, 200)))).flat(),
  };
}

const demos = new Map<number, Promise<Demo>>();
/** Returns the demo at a moment, made once for the tests of this file. */
const demoAt = (now: number): Promise<Demo> =>
  demos.get(now) ?? (demos.set(now, openDemo(now)).get(now) as Promise<Demo>);

const moments = [
  ["a Thursday afternoon", "2026-03-05T14:20:00Z"],
  ["a Monday before work", "2026-03-09T05:30:00.000001Z"],
  ["a Sunday night", "2026-03-08T23:59:59.999999Z"],
  ["a Saturday in summer", "2026-08-15T10:00:00Z"],
  ["the first second of a year", "2027-01-01T00:00:00Z"],
] as const;

describe.each(moments)("the demo on %s", (_, text) => {
  const now = toMicros(text);
  let data: Data;
  let events: Event[];
  let linked: ProjectRow[];
  let assets: AssetRow[];
  let decisions: DecisionRow[];
  beforeAll(async () => {
    ({ data, events, linked, assets, decisions } = await demoAt(now));
  });

  test("holds about 1,500 events of thirty days, each as the interface has it", () => {
    expect(events.length).toBeWithin(1300, 1700);
    for (const event of events)
      expect([event, checker(Event).Errors(event).First()]).toEqual([event, undefined]);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    const times = events.map(({ ts }) => toMicros(ts));
    expect(times.every((time, index) => index === 0 || time > (times[index - 1] as number))).toBe(true);
    expect([(times[0] as number) > now - 31 * dayMicros, (times.at(-1) as number) < now]).toEqual([
      true,
      true,
    ]);
  });

  test("ends now: an agent is at work", () => {
    const last = events.at(-1) as Event;
    expect(now - toMicros(last.ts)).toBeLessThan(10 * 60 * 1_000_000);
    expect(ofKind(events, "run.started").at(-1)?.issue).toBe(last.issue);
  });

  test("holds every kind of event but notices to people and removals, and every kind and status of asset", () => {
    const notices = new Set<string>([
      "review.requested",
      "review.overdue",
      "budget.reached",
      "webhook.paused",
      "run.lost",
      "run.waiting",
      "share.created",
      "share.renewed",
      "decision.confirmed",
      "share.revoked",
      "asset.unpublished",
      "asset.deleted",
      "data.removed",
      "check.stopped",
    ]);
    const ofWork = (found: Iterable<string>) => [...found].filter((kind) => !notices.has(kind)).sort();
    expect(ofWork(new Set(events.map(({ kind }) => kind)))).toEqual(ofWork(kinds));
    expect([...new Set(assets.map(({ kind }) => kind))].sort()).toEqual([...assetKinds].sort());
    expect([...new Set(assets.map(({ status }) => status))].sort()).toEqual([...AssetStatus.enum].sort());
  });

  test("counts of projects are those of their events", () => {
    expect(linked.map(({ slug }) => slug)).toEqual(slugs);
    for (const project of linked) {
      const own = events.filter((event) => event.project === project.slug);
      const open = new Set<number | null>();
      for (const { kind, issue } of ofKind(own, "issue.opened", "issue.closed"))
        kind === "issue.opened" ? open.add(issue) : open.delete(issue);
      const folded = own.findLastIndex(({ kind }) => kind === "memory.consolidated");
      expect(sum(ofKind(own, "memory.consolidated").map(({ summary }) => numberIn(summary)))).toBe(folded);
      expect(project.digest).toEqual({ digested: folded, total: own.length });
      expect([project.openIssues, project.openIssues > 0]).toEqual([open.size, true]);
      expect(project.lastActivity).toBe(toMicros(own.at(-1)?.ts as string));
      expect(project.decisionsCount).toBe(
        decisions.filter((decision) => decision.project === project.slug).length,
      );
    }
  });

  test("sums of usage are those of the events", async () => {
    const usage = (await Promise.all(slugs.map((slug) => data.usage(slug, "2000-01-01")))).flat();
    const total = (field: keyof UsageRow & keyof Event) => sum(usage.map((row) => row[field] as number));
    for (const field of ["tokens_in", "tokens_out", "cache_read", "cache_write"] as const)
      expect([field, total(field)]).toEqual([field, sum(events.map((event) => event[field]))]);
    expect(cents(total("cost_equiv"))).toBe(cents(sum(events.map((event) => event.cost_equiv))));
    expect(sum(usage.map(({ runs }) => runs))).toBe(ofKind(events, "run.finished", "run.failed").length);
    expect(sum(usage.map(({ failures }) => failures))).toBe(ofKind(events, "run.failed").length);
    expect(sum(usage.map(({ merges }) => merges))).toBe(ofKind(events, "pr.merged").length);
  });

  test("a step costs what its tokens cost with its model, and nothing else costs anything", () => {
    for (const event of events) {
      const price = prices[event.model ?? ""] ?? [0, 0, 0, 0];
      const tokens = [event.tokens_in, event.tokens_out, event.cache_read, event.cache_write];
      const cost = sum(tokens.map((count, index) => count * (price[index] as number)));
      expect(cents(event.cost_equiv)).toBe(Math.round(cost));
      expect([event.kind, event.cost_equiv > 0]).toEqual([event.kind, event.kind === "step.usage"]);
    }
  });

  test("its models are of several vendors, one of them stale and one pending, and none works before it is onboarded", async () => {
    const shown = (await data.models()).map((row) => modelOf(row, now));
    const statuses = shown.map(({ status }) => status);
    expect(new Set(shown.map(({ provider }) => provider)).size).toBeGreaterThan(2);
    expect(
      ["stale", "pending"].map((wanted) => statuses.filter((status) => status === wanted).length),
    ).toEqual([1, 1]);
    for (const { model, ts } of ofKind(events, "run.started")) {
      const since = shown.find(({ id }) => id === model)?.onboarded_at;
      expect([model, since != null && since < ts]).toEqual([model, true]);
    }
  });
});

describe.each(moments)("the history of the demo on %s", (_, text) => {
  const now = toMicros(text);
  let data: Data;
  let events: Event[];
  let assets: AssetRow[];
  let decisions: DecisionRow[];
  beforeAll(async () => {
    ({ data, events, assets, decisions } = await demoAt(now));
  });

  test("a run begins before it ends, and one that failed is tried again", () => {
    const started = new Map(ofKind(events, "run.started").map((event) => [numberIn(event.summary), event]));
    const ended = ofKind(events, "run.finished", "run.failed");
    for (const end of ended)
      expect([end.summary, started.get(numberIn(end.summary))?.issue]).toEqual([end.summary, end.issue]);
    expect(started.size - ended.length).toBeWithin(0, 4);
    const failed = ofKind(ended, "run.failed").filter(({ ts }) => toMicros(ts) < now - 3 * dayMicros);
    expect(failed.length).toBeGreaterThan(4);
    for (const { ts, issue, project } of failed)
      expect(
        ofKind(events, "run.finished").some(
          (run) => run.ts > ts && run.issue === issue && run.project === project,
        ),
      ).toBe(true);
  });

  test("nothing is merged, closed or reviewed that was not opened", () => {
    const opened = new Set(ofKind(events, "pr.opened").map(({ project, pr }) => `${project} ${pr}`));
    const approved = new Set<string>();
    for (const { kind, project, pr, summary } of events) {
      const name = `${project} ${pr}`;
      if (pr !== null && kind !== "pr.opened") expect([summary, opened.has(name)]).toEqual([summary, true]);
      if (kind === "pr.review" && summary.includes(" approved: ")) approved.add(name);
      if (kind === "pr.merged") expect([summary, approved.has(name)]).toEqual([summary, true]);
    }
    const issues = new Set<string>();
    for (const { kind, project, issue, summary } of events) {
      if (kind === "issue.opened") issues.add(`${project} ${issue}`);
      if (issue !== null) expect([summary, issues.has(`${project} ${issue}`)]).toEqual([summary, true]);
    }
  });

  test("chains of versions have one newest, and each version what its status asks for", () => {
    for (const chain of Map.groupBy(assets, ({ root_id }) => root_id).values()) {
      chain.sort((a, b) => a.version - b.version);
      expect(chain.map(({ version }) => version)).toEqual(chain.map((_, index) => index + 1));
      expect(chain.map(({ parent_id }) => parent_id)).toEqual([
        null,
        ...chain.slice(0, -1).map(({ id }) => id),
      ]);
      expect(chain.map(({ status }) => status === "superseded")).toEqual(
        chain.map((_, index) => index < chain.length - 1),
      );
    }
    for (const asset of assets) {
      const { status } = asset;
      expect([status, asset.expires_at !== null]).toEqual([
        status,
        status === "rejected" || status === "superseded",
      ]);
      expect([status, asset.public_url !== null]).toEqual([status, status === "published"]);
      if (status !== "superseded")
        expect([status, asset.reviewed_by !== null]).toEqual([status, status !== "pending"]);
      if (status === "rejected") expect(asset.review_note).not.toBeNull();
    }
    expect(assets.some(({ version }) => version > 2)).toBe(true);
  });

  test("every note of a rejection is a decision; some decisions were superseded, and one was retired", () => {
    const notes = new Map(assets.map(({ id, review_note }) => [id, review_note]));
    const reviews = decisions.filter(({ source }) => source === "review");
    expect(reviews.length).toBeGreaterThan(5);
    for (const { source_ref, text } of reviews) expect(notes.get(source_ref as string)).toBe(text);
    const rejected = assets.filter(({ status }) => status === "rejected");
    for (const { id } of rejected) expect(reviews.some(({ source_ref }) => source_ref === id)).toBe(true);
    const [superseded, retired] = [3, ofKind(events, "decision.retired").length];
    expect(retired).toBe(1);
    expect(ofKind(events, "decision.captured").length).toBe(decisions.length + superseded + retired);
  });

  test("holds preferences of all and of projects, each key with its newest value", async () => {
    const own = await data.preferences("tern");
    const sizes = own
      .filter(({ key }) => key === "pull_request.size")
      .map(({ project, value }) => [project, value]);
    expect(sizes).toEqual([
      ["tern", "at most 250 changed lines"],
      [null, "at most 400 changed lines, tests not counted"],
    ]);
    for (const slug of slugs)
      expect((await data.preferences(slug)).some(({ project }) => project === slug)).toBe(true);
    expect(ofKind(events, "preference.set").length).toBeGreaterThan(own.length);
  });

  test("what was folded into memory is what had happened until then", async () => {
    for (const slug of slugs) {
      const last = ofKind(events, "memory.consolidated").findLast(({ project }) => project === slug) as Event;
      const before = events.filter(({ project, ts }) => project === slug && ts < last.ts);
      const rollups = await data.rollups(slug, 1000);
      expect(cents(sum(rollups.map(({ cost_equiv }) => cost_equiv)))).toBe(
        cents(sum(before.map(({ cost_equiv }) => cost_equiv))),
      );
      expect(sum(rollups.map(({ merges }) => merges))).toBe(ofKind(before, "pr.merged").length);
    }
  });

  test("keeps a team's hours: quiet nights and weekends, and days that stand out", () => {
    const at = events.map(({ ts }) => new Date(ts));
    const share = (is: (date: Date) => boolean) => at.filter(is).length / at.length;
    expect(share((date) => date.getUTCDay() % 6 === 0)).toBeLessThan(0.04);
    expect(share((date) => date.getUTCHours() < 7 || date.getUTCHours() > 17)).toBeLessThan(0.1);
    const workdays = at.filter((date) => date.getUTCDay() % 6 !== 0);
    const days = Map.groupBy(workdays, (date) => date.toISOString().slice(0, 10)).values();
    const counts = [...days].map((day) => day.length).sort((a, b) => a - b);
    expect(counts.at(-1) as number).toBeGreaterThan(1.5 * (counts[Math.floor(counts.length / 2)] as number));
  });

  test("reads as people and agents write", () => {
    const texts = [
      ...events.map(({ summary }) => summary),
      ...decisions.map(({ text }) => text),
      ...assets.map(({ title }) => title),
    ];
    for (const value of texts) {
      expect(value).not.toMatch(/lorem|ipsum|\bfoo\b|\bbar\b|todo|\btbd\b|placeholder/i);
      expect(value).not.toMatch(/undefined|null|NaN|\[object|#0\b| {2}|^\s|\s$/);
    }
    expect(new Set(texts).size).toBeGreaterThan(800);
  });
});
