/** A source: the lanes of one webhook, and the cursor that they leave to it. */
import { describe, expect, test } from "bun:test";
import type { Event } from "../../../src/feed/schema.ts";
import type { WebhookRow } from "../../../src/integrations/rows.ts";
import { matches, Source } from "../../../src/integrations/webhooks/delivery/source.ts";
import { must } from "../../support/harness.ts";
import { newWebhook } from "../../support/webhooks/webhook-rows.ts";

const webhook: WebhookRow = {
  ...newWebhook("w1"),
  ...{ previous_secret: null, previous_secret_until: null, status: "active", paused_at: null },
  ...{ paused_reason: null, cursor: 0, lease_owner: "a" },
};
// safe because: a source reads nothing else
const eventOf = (id: number, fields: Partial<Event> = {}) =>
  ({ id, project: "atlas", kind: "run.failed", summary: "", url: null, cost_equiv: 0, ...fields }) as Event;

describe("a source", () => {
  test("has a cursor before what is not sent yet; a lane that fails lets it pass", () => {
    const source = new Source(webhook, null, [], null);
    source.offer(eventOf(5), 0);
    source.offer(eventOf(6, { project: "borea" }), 0);
    source.position = { id: 9 };
    expect(source.cursor).toBe(4);
    must(source.lanes.get("atlas")).failed(0, null, 0);
    expect(source.cursor).toBe(5);
    must(source.lanes.get("borea")).delivered(1, 0, false);
    expect(source.cursor).toBe(9);
  });

  test("keeps the successor of a lane that it dropped", () => {
    const source = new Source(webhook, null, [], null);
    const dropped = source.offer(eventOf(5), 0);
    dropped.delivered(1, 0, false);
    source.forgetIdle(dropped);
    const successor = source.offer(eventOf(6), 0);
    expect(successor).not.toBe(dropped);
    source.forgetIdle(dropped);
    expect(source.lanes.get("atlas")).toBe(successor);
    source.position = { id: 9 };
    expect(source.cursor).toBe(5);
  });

  test("leaves out what its owner may not read, and the notice that it was paused itself", () => {
    const source = new Source(webhook, null, [], ["atlas"]);
    expect(source.accepts(eventOf(1))).toBe(true);
    expect(source.accepts(eventOf(1, { project: "borea" }))).toBe(false);
    expect(source.accepts(eventOf(1, { project: null }))).toBe(false);
    const notice = (id: string) =>
      eventOf(1, { kind: "webhook.paused", url: `https://svc.test/settings/webhooks/${id}` });
    expect([source.accepts(notice("w1")), source.accepts(notice("w2"))]).toEqual([false, true]);
  });
});

test.each([
  [{}, {}, true],
  [{ kind: ["run.failed"] }, {}, true],
  [{ kind: ["run.finished"] }, {}, false],
  [{ status: ["failed"] }, {}, true],
  [{ status: ["approved"] }, {}, false],
  [{ status: ["approved"] }, { kind: "asset.reviewed", summary: "Approved x" }, true],
  [{ status: ["rejected"] }, { kind: "asset.reviewed", summary: "Rejected x" }, true],
  [{ cost_above: 1 }, { cost_equiv: 1 }, false],
  [{ cost_above: 1 }, { cost_equiv: 1.5 }, true],
  [{ run_id: "r" }, {}, false],
  [{ run_id: "r", project: ["atlas", "borea"] }, { run_id: "r" }, true],
] as const)("filters %j on an event with %j: %j", (filters, fields, isMatch) => {
  expect(matches(structuredClone(filters) as never, eventOf(1, fields))).toBe(isMatch);
});
