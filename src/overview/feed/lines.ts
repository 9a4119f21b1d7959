/** The feed with a line for each run, and what such a line shows when it is opened. */

import { authorize, isAllowed } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { ceilMicros, fromMicros, toMicros } from "../../core/lib/time.ts";
import { checkInput } from "../../core/lib/validate.ts";
import { type GroupedFilter, groupedPage } from "../../feed/grouped.ts";
import { FeedQuery } from "../../feed/requests.ts";
import type { RunRow } from "../../feed/rows.ts";
import { toRun } from "../../feed/runs/runs.ts";
import type { Run } from "../../feed/runs/schema.ts";
import type { Event } from "../../feed/schema.ts";
import { toAsset } from "../../library/assets/library.ts";
import type { Asset } from "../../library/assets/schema.ts";
import type { OverviewContext } from "../context.ts";

/** The last steps and the assets that an opened line shows. */
const stepsMax = 3;
const assetsMax = 6;

/** A run with what its line shows when it is opened. */
export interface RunPreview {
  run: Run;
  /** Its last events, oldest first. */
  steps: Event[];
  assets: Asset[];
}

export type FeedLine = { ts: string } & ({ preview: RunPreview } | { event: Event });

export interface LinePage {
  lines: FeedLine[];
  /** `before` of the next, older page; null on the last page. */
  next: string | null;
}

/** @throws Problem 400 for a malformed query, 401 or 403 without the scope */
export async function loadLines(
  ctx: OverviewContext,
  query: Record<string, unknown>,
  caller: Caller,
): Promise<LinePage> {
  authorize(caller, "feed:read", ctx.config);
  const { before, after, limit, ...filter } = checkInput(
    FeedQuery,
    new Map(Object.entries(query)),
  ) as FeedQuery;
  const { items, next } = await groupedPage(
    ctx,
    {
      ...(filter as GroupedFilter),
      ...(before !== undefined && { before: ceilMicros(before) }),
      ...(after !== undefined && { after: toMicros(after) }),
      limit: limit ?? 50,
    },
    caller,
  );
  const lines = items.map(
    async (item): Promise<FeedLine> =>
      "event" in item
        ? { ts: fromMicros(item.ts), event: item.event }
        : { ts: fromMicros(item.run.last_event_at), preview: await previewOf(ctx, item.run, caller) },
  );
  return { lines: await Promise.all(lines), next: next === null ? null : fromMicros(next) };
}

async function previewOf(ctx: OverviewContext, row: RunRow, caller: Caller): Promise<RunPreview> {
  const hasAssets = row.assets > 0 && isAllowed(caller, "assets:read", ctx.config);
  const [steps, assets] = await Promise.all([
    ctx.data.runEvents(row, { order: "newest first", limit: stepsMax }),
    hasAssets ? ctx.data.runAssets(row, assetsMax) : [],
  ]);
  return {
    run: toRun(row, ctx),
    // The line itself has the newest summary.
    steps: steps
      .reverse()
      .map(({ wire }): Event => JSON.parse(wire))
      .filter(({ summary }) => summary !== row.summary),
    assets: assets.map((asset) => toAsset(ctx, asset)),
  };
}
