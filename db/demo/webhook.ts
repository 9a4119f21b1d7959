/**
 * A webhook with its log. It is paused, and its URL is one that svc refuses without a lookup or a connection,
 * so nothing leaves the machine, also if somebody resumes or tests it.
 */
import { ulid } from "ulid";
import type { Writes } from "../../src/api/port.ts";
import { type Micros, toMicros } from "../../src/core/lib/time.ts";
import type { Event, EventKind } from "../../src/feed/schema.ts";
import type { NewDeliveryRow } from "../../src/integrations/rows.ts";
import { minute } from "./calendar.ts";

const kinds: EventKind[] = ["run.failed", "pr.merged"];
const deliveriesMax = 25;
/** One in so many is answered only at the second attempt. */
const retryEvery = 6;
const retryAfter = 5_000_000;

/** Adds the webhook, and deliveries of the newest events. */
export async function addDemoWebhook(writes: Writes, linkedAt: Micros): Promise<void> {
  const created_at = linkedAt + minute;
  const id = ulid(Math.floor(created_at / 1_000), () => 0.5);
  await writes.addWebhook({
    id,
    name: "deploys",
    url: "https://127.0.0.1:9443/hooks/svc",
    format: "json",
    owner: null,
    filters: { kind: kinds },
    created_at,
    secret: `whsec_${Buffer.alloc(32, "demo").toString("base64")}`,
  });
  const newest = await writes.feed(null, { kind: kinds, limit: deliveriesMax });
  for (const [index, { wire }] of newest.toReversed().entries())
    for (const row of attempts(id, JSON.parse(wire) as Event, index)) await writes.addDelivery(row);
  const paused_reason = "Paused by the demo, which sends nothing.";
  const paused_at = newest[0] ? newest[0].ts + minute : created_at;
  await writes.changeWebhook(id, { status: "paused", paused_at, paused_reason });
}

function attempts(webhook: string, event: Event, index: number): NewDeliveryRow[] {
  const { id, kind, ts } = event;
  const row = {
    webhook,
    project: event.project,
    first_event: id,
    last_event: id,
    is_test: false,
    is_replay: false,
    request: JSON.stringify({ type: kind, timestamp: ts, data: event }),
    at: toMicros(ts) + 21_000,
    duration_ms: 38 + ((id * 7) % 60),
  };
  const ok = { status: 200, outcome: "delivered" as const, error: null, response: '{"ok":true}' };
  if (index % retryEvery !== 2) return [{ ...row, ...ok, attempt: 1 }];
  const error = "The receiver answered 503.";
  const busy = { status: 503, outcome: "failed" as const, error, response: "deploy in progress" };
  return [
    { ...row, ...busy, attempt: 1 },
    { ...row, ...ok, attempt: 2, at: row.at + retryAfter },
  ];
}
