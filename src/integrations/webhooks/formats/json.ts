/** Events as they are, one a message, in the payload of Standard Webhooks. */

import { perObject } from "../../../core/lib/cache.ts";
import type { Event } from "../../../feed/schema.ts";
import type { Format } from "./format.ts";

/** Webhooks at the head of the log share their events, and so their bodies. */
const bodyOf = perObject((event: Event) =>
  JSON.stringify({ type: event.kind, timestamp: event.ts, data: event }),
);

export const json: Format = {
  label: "JSON",
  isSigned: true,
  checkUrl: () => null,
  async plan(_ctx, events) {
    const message = { body: bodyOf(events[0] as Event), contentType: "application/json" };
    return { action: "send", covers: 1, message };
  },
};
