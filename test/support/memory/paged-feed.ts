/** Many events of the same second, and readers that follow the pages of a feed to the end. */
import { expect } from "bun:test";
import type { Caller } from "../../../src/core/auth/caller.ts";
import { toMicros } from "../../../src/core/lib/time.ts";
import { feedPage } from "../../../src/feed/feed.ts";
import type { FeedQuery } from "../../../src/feed/requests.ts";
import type { FeedPage } from "../../../src/feed/schema.ts";
import { times } from "../../faults/promises.ts";
import { event, link, must, openApp, type TestApp } from "../harness.ts";

export const count = times("paging");
export const sizes = [1, 7, 50, 200];
export const unlimited = { projects: null };
/** The time that the events were sent with, precise to a second. */
export const sourceTime = "2026-02-03T04:05:06Z";

export const descending = Array.from({ length: count }, (_, index) => count - index);

export const idsOf = (events: { id: number }[]) => events.map((one) => one.id);

export async function openFeedOfOneSecond(dialect: Parameters<typeof openApp>[0]): Promise<TestApp> {
  const app = await openApp(dialect);
  const { data } = app.ctx;
  for (const slug of ["atlas", "borealis"]) await link(data, slug);
  const events = Array.from({ length: count }, (_, index) =>
    event({
      summary: `Event ${index + 1}`,
      project: index % 3 === 0 ? "atlas" : index % 3 === 1 ? "borealis" : null,
      kind: index % 5 === 0 ? "run.failed" : "step.usage",
      actor: index % 2 ? "agent:a" : "agent:b",
      lane: index % 7 === 0 ? "lane_b" : null,
      issue: index % 4 === 0 ? 12 : null,
      pr: index % 11 === 0 ? 34 : null,
      ts: toMicros(sourceTime),
    }),
  );
  for (let start = 0; start < count; start += 100)
    await data.atomically((writes) => writes.append(events.slice(start, start + 100)));
  return app;
}

/** @param appOf the app, which is opened later than the readers are made */
export function feedReaders(appOf: () => TestApp) {
  const page = async (query: FeedQuery, caller: Pick<Caller, "projects"> = unlimited): Promise<FeedPage> => {
    const { ctx } = appOf();
    const result: FeedPage = JSON.parse((await feedPage(ctx.data, ctx.config, query, caller)).text);
    expect(result.count).toBe(result.events.length);
    return result;
  };
  /** Follows `next_before` to the end. */
  const backwards = async (
    query: FeedQuery,
    caller?: Pick<Caller, "projects">,
  ): Promise<FeedPage["events"]> => {
    const found: FeedPage["events"] = [];
    for (let before: string | null | undefined = query.before; before !== null; ) {
      const { events, next_before }: FeedPage = await page(
        { ...query, ...(before !== undefined && { before }) },
        caller,
      );
      if (next_before !== null) {
        expect(events.length).toBe(query.limit as number);
        expect(next_before).toBe(must(events.at(-1)).ts);
      }
      found.push(...events);
      before = next_before;
    }
    return found;
  };
  return { page, backwards };
}
