/** Models: whether they were added, and how old their guidance is. */

import { dayMicros, fromMicros, type Micros } from "../core/lib/time.ts";
import type { MemoryContext } from "./context.ts";
import type { ModelList } from "./list-schemas.ts";
import type { ModelRow } from "./rows.ts";
import type { Model } from "./schema.ts";

const staleAfterDays = 30;

/** All models, with the age of their guidance. */
export async function listModels({ data, now }: Pick<MemoryContext, "data" | "now">): Promise<ModelList> {
  const at = now();
  const models = (await data.models()).map((model) => modelOf(model, at));
  return { models, count: models.length };
}

/** Builds a model as the API shows it, with the age of its guidance in days at `now`. */
export function modelOf({ onboarded_at, refreshed_at, ...row }: ModelRow, now: Micros): Model {
  const refreshed = refreshed_at ?? onboarded_at;
  const stale_days = refreshed === null ? 0 : Math.max(0, Math.floor((now - refreshed) / dayMicros));
  const status = onboarded_at === null ? "pending" : stale_days > staleAfterDays ? "stale" : "ready";
  return {
    ...row,
    onboarded_at: onboarded_at === null ? null : fromMicros(onboarded_at),
    stale_days,
    status,
  };
}
