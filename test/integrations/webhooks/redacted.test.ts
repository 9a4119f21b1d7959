/** What waits for a receiver does not tell what was redacted meanwhile. */
import { expect, test } from "bun:test";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { startDelivery } from "../../../src/integrations/webhooks/delivery/delivery.ts";
import { takeBack } from "../../../src/library/removals/take-back.ts";
import { dialects, event, link, must, openApp, until } from "../../support/harness.ts";
import { startReceiver } from "../../support/webhooks/event-receiver.ts";
import { addWebhooks, newWebhook } from "../../support/webhooks/webhook-rows.ts";

test.each(dialects)("a delivery that waits goes out as it reads after a redaction: %s", async (dialect) => {
  await using app = await openApp(dialect, { SVC_WEBHOOK_ALLOW: "127.0.0.1" });
  const { data } = app.ctx;
  await link(data, "atlas");
  const receiver = startReceiver();
  await addWebhooks(data, [newWebhook("w", { url: receiver.urlOf("w") })]);
  let isDown = true;
  receiver.answer = () => new Response("no", { status: isDown ? 503 : 200 });
  const delivery = startDelivery(app.ctx);
  const { added } = await data.append([
    event({ project: "atlas", summary: "It names Zanzibar", payload: { of: "Zanzibar" } }),
  ]);
  const { id } = must(added[0]);
  await until(async () => (await data.deliveries("w", { limit: 9 })).length > 0, "an attempt");
  const reason = "It names a customer.";
  await takeBack(app.ctx, { kind: "event", subject: String(id), reason }, adminCaller);
  isDown = false;
  app.clock.advance(6 * secondMicros);
  await until(() => receiver.accepted("w").length > 1, "both events");
  const sent = must(receiver.received.filter((one) => one.event.id === id).at(-1));
  expect(sent.event.summary).toMatch(/^\[Redacted by .+: It names a customer\.\]$/);
  await delivery.stop();
  expect(JSON.stringify([sent, await data.deliveries("w", { limit: 9 })])).not.toContain("Zanzibar");
  await receiver.close();
});
