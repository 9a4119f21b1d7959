/** What the demo shows of telling people: a request for a review, and a webhook that sends nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Data } from "../../src/api/port.ts";
import { toMicros } from "../../src/core/lib/time.ts";
import { sendTest } from "../../src/integrations/webhooks/delivery/send.ts";
import { eventsOf, fillDemoAt } from "../support/demo.ts";
import { assetRowsOf, must, openApp } from "../support/harness.ts";

const now = toMicros("2026-03-05T14:20:00Z");
let data: Data;
beforeAll(async () => void (data = await fillDemoAt(now)));
afterAll(() => data.close());

describe("the demo", () => {
  test("asks for a review that still waits, and has its event", async () => {
    const requests = await data.reviewRequests(null, { limit: 10 });
    expect(requests).toHaveLength(1);
    const [request] = requests as [(typeof requests)[0]];
    expect((await assetRowsOf(data)).find(({ id }) => id === request.asset)?.status).toBe("pending");
    expect(request.due_at).toBeGreaterThan(now);
    const asked = (await eventsOf(data)).filter(({ kind }) => kind === "review.requested");
    expect(asked.map(({ summary }) => summary)).toEqual([
      expect.stringContaining(`Asked everyone to review ${request.title}, version ${request.version}`),
    ]);
  });

  test("has a webhook with a log of events, in order, one of which took two attempts", async () => {
    const [webhook] = await data.webhooks();
    const { id, status } = must(webhook);
    expect(status).toBe("paused");
    const rows = (await data.deliveries(id, { limit: 50 })).reverse();
    const events = new Map((await eventsOf(data)).map((event) => [event.id, event]));
    for (const row of rows) {
      const event = must(events.get(must(row.first_event)));
      expect(JSON.parse(must(row.request))).toEqual({ type: event.kind, timestamp: event.ts, data: event });
      expect([row.at > toMicros(event.ts), row.at < now]).toEqual([true, true]);
    }
    const ids = rows.map(({ first_event }) => must(first_event));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(rows.filter(({ attempt }) => attempt === 2).length).toBeGreaterThan(0);
  });

  test("opens no connection when that webhook is tried", async () => {
    await using app = await openApp("sqlite");
    const [webhook] = await data.webhooks();
    expect(await sendTest(app.ctx, must(webhook))).toMatchObject({ outcome: "refused", status: null });
  });
});
