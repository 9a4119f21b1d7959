/** Events as they are, one a message, in the payload of Standard Webhooks. */
import type { Event } from "../../../feed/schema.ts";
import type { Format } from "../format.ts";

export const json: Format = {
  label: "JSON",
  isSigned: true,
  checkUrl: () => null,
  async plan(_ctx, events) {
    const event = events[0] as Event;
    const body = JSON.stringify({ type: event.kind, timestamp: event.ts, data: event });
    return { action: "send", covers: 1, message: { body, contentType: "application/json" } };
  },
};
