/** Which events a webhook is sent: what its filters match, of what its owner may read. */

import type { Projects } from "../../../../core/rows.ts";
import type { Event } from "../../../../feed/schema.ts";
import { decisionOf } from "../../../../library/verdicts/review-summary.ts";
import type { WebhookRow } from "../../../rows.ts";
import type { WebhookFilters } from "../../schema.ts";

type Status = NonNullable<WebhookFilters["status"]>[number];

/** How the run ended, or the review decided, that an event tells of. */
function statusOf(event: Event): Status | null {
  const { kind } = event;
  if (kind === "run.finished") return "finished";
  if (kind === "run.failed") return "failed";
  if (kind === "run.lost") return "lost";
  return decisionOf(event);
}

const has = <T>(list: readonly T[] | undefined, value: unknown): boolean =>
  list === undefined || list.includes(value as T);

export function matches(filters: WebhookFilters, event: Event): boolean {
  const { kind, project, actor, lane, status, run_id, cost_above } = filters;
  return (
    has(kind, event.kind) &&
    has(project, event.project) &&
    has(actor, event.actor) &&
    has(lane, event.lane) &&
    (status === undefined || has(status, statusOf(event))) &&
    (run_id === undefined || event.run_id === run_id) &&
    (cost_above === undefined || event.cost_equiv > cost_above)
  );
}

/** The projects that a webhook can be sent events of; null for all, and events without a project. */
export function projectsOf({ filters }: Pick<WebhookRow, "filters">, readable: Projects): Projects {
  if (readable === null) return filters.project ?? null;
  return filters.project ? filters.project.filter((slug) => readable.includes(slug)) : readable;
}

/** The end of the URL of a webhook's page, by which events about the webhook name it. */
export const webhookPagePath = (id: string): string => `/settings/webhooks/${id}`;

/** Whether an event is the notice that this webhook was paused. */
export const isOwnNotice = (id: string, { kind, url }: Event): boolean =>
  kind === "webhook.paused" && url !== null && url.endsWith(webhookPagePath(id));
