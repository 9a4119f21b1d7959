/** Counts again what the database keeps counters of. */
import { expect } from "bun:test";
import type { Data } from "../../../src/api/port.ts";
import { type Micros, toMicros } from "../../../src/core/lib/time.ts";
import type { Event } from "../../../src/feed/schema.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { must } from "../conditions.ts";

/** Every asset, with all of its columns. */
export async function assetRowsOf(data: Data): Promise<AssetRow[]> {
  const page = await data.assets(null, { limit: 100_000 });
  return Promise.all(page.map(async ({ id }) => must(await data.asset(null, id))));
}

/**
 * Recounts all events and expects the counters, open issues and usage of every project to match.
 * @returns the number of events
 */
export async function expectConsistent(data: Data): Promise<number> {
  const events: (Event & { micros: Micros })[] = [];
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const page = await data.feed(null, { order: "oldest first", after, limit: 1000 });
    for (const { id, ts, wire } of page) {
      const parsed: Event = JSON.parse(wire);
      expect([parsed.id, toMicros(parsed.ts)]).toEqual([id, ts]);
      events.push({ ...parsed, micros: ts });
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.ts;
  }
  expect(new Set(events.map((one) => one.id)).size).toBe(events.length);
  for (const project of await data.projects(null, { limit: 1000 })) {
    const own = events.filter((one) => one.project === project.slug);
    const openNow = new Map(
      own
        .filter((one) => (one.issue ?? one.task) && /^issue\.(opened|closed)$/.test(one.kind))
        .map((one) => [one.issue ?? one.task, one.kind]),
    );
    expect(project.digest.total).toBe(own.length);
    expect(project.lastActivity).toBe(own.at(-1)?.micros ?? null);
    expect(project.openIssues).toBe([...openNow.values()].filter((kind) => kind === "issue.opened").length);
    const usage = await data.usage(project.slug, "");
    const sum = (field: "tokens_in" | "cost_equiv") => own.reduce((total, one) => total + one[field], 0);
    expect(usage.reduce((total, row) => total + row.tokens_in, 0)).toBe(sum("tokens_in"));
    expect(usage.reduce((total, row) => total + row.cost_equiv, 0)).toBeCloseTo(sum("cost_equiv"), 6);
    expect(usage.reduce((total, row) => total + row.runs, 0)).toBe(
      own.filter((one) => /^run\.(finished|failed)$/.test(one.kind)).length,
    );
    expect(usage.reduce((total, row) => total + row.merges, 0)).toBe(
      own.filter((one) => one.kind === "pr.merged").length,
    );
  }
  return events.length;
}
