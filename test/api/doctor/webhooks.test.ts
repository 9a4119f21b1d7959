/** What `svc doctor` and the settings page say of webhooks. */
import { describe, expect, test } from "bun:test";
import { checkWebhooks } from "../../../src/api/doctor/webhooks.ts";
import { minuteMicros } from "../../../src/core/lib/time.ts";
import { dialects, openTestData } from "../../support/harness.ts";
import { addWebhooks, newWebhook, noProgress } from "../../support/webhooks/webhook-rows.ts";

describe.each(dialects)("the check of webhooks on %s", (dialect) => {
  test("names paused ones with the reason, and those that fail for more than an hour", async () => {
    await using testData = await openTestData(dialect);
    const { data, clock } = testData;
    const check = () => checkWebhooks({ data, now: clock.now });
    await addWebhooks(data, [newWebhook("w1", { name: "deploy bot" }), newWebhook("w2")]);
    expect(await check()).toEqual([{ what: "webhooks", level: "ok", detail: "none is paused or behind" }]);
    const pause = { status: "paused", paused_at: 1, paused_reason: "Its token ci was revoked." } as const;
    const now = clock.now();
    await data.atomically(async (writes) => {
      await writes.changeWebhook("w1", pause);
      await writes.leaseWebhooks({ node: "a", now, until: now + 1, released: [] });
      const lane = { webhook: "w2", replay: "", project: "atlas", cursor: 1, attempts: 9, due_at: now };
      const failing = { ...lane, failing_since: now - 130 * minuteMicros, last_sent_at: null };
      await writes.recordProgress({ node: "a" }, { ...noProgress, lanes: [failing] });
    });
    const details = (await check()).map(({ level, detail }) => `${level}: ${detail}`);
    expect(details).toEqual([
      expect.stringMatching(/^warning: paused: deploy bot\. Its token ci was revoked\. Resume with/),
      expect.stringMatching(/^warning: behind for 2 hours: w2; see why/),
    ]);
  });
});
