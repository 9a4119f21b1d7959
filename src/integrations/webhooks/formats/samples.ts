/** Events to try a webhook with: one of each kind that chat messages tell of. */

import { fromMicros, minuteMicros } from "../../../core/lib/time.ts";
import type { Event, EventKind } from "../../../feed/schema.ts";
import type { IntegrationsContext } from "../../context.ts";
import { chatKinds } from "./notices/kinds.ts";

/** @returns the samples, the most telling first. Every format has a message for each. */
export const sampleEvents = ({ now }: Pick<IntegrationsContext, "now">, project: string): Event[] =>
  Object.entries(chatKinds).map(([kind, { sample }], index) => ({
    // Old enough that no message waits for more.
    id: index + 1,
    ts: fromMicros(now() - 10 * minuteMicros),
    actor: "bot:svc",
    summary: kind,
    kind: kind as EventKind, // safe because: they are kinds
    project,
    repo: null,
    issue: null,
    pr: null,
    lane: null,
    model: null,
    subscription: null,
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
    cost_equiv: 0,
    duration_ms: null,
    url: null,
    ...sample,
  }));
