/** Chat messages from an event to the service: the delivery asks the format, sends, and reads the answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Delivery, startDelivery } from "../../../../src/integrations/webhooks/delivery/delivery.ts";
import { sendTest } from "../../../../src/integrations/webhooks/delivery/send.ts";
import {
  type ChatReceiver,
  chatNames,
  serveChatServices,
} from "../../../support/chat-validators/receiver.ts";
import { event, must, openApp, type TestApp, until } from "../../../support/harness.ts";
import { addWebhooks, newWebhook } from "../../../support/webhooks/webhook-rows.ts";

let app: TestApp;
let services: ChatReceiver;
let delivery: Delivery;

beforeAll(async () => {
  app = await openApp("sqlite", { SVC_WEBHOOK_ALLOW: "127.0.0.1" });
  services = serveChatServices();
  await addWebhooks(
    app.ctx.data,
    chatNames.map((name) => newWebhook(name, { format: name, url: services.url(name) })),
  );
  delivery = startDelivery(app.ctx);
});
afterAll(async () => {
  await delivery.stop();
  services[Symbol.dispose]();
  await app.close();
});

describe("a delivery to each service", () => {
  test("tells once of a run that failed, and not of its steps", async () => {
    const ofRun = { project: "atlas", run_id: "run-1", issue: 12 };
    await app.ctx.data.append([
      event({ ...ofRun, kind: "run.started" }),
      event({ ...ofRun, kind: "step.usage", summary: "Step 1" }),
      event({ ...ofRun, kind: "run.failed", summary: "Out of memory" }),
    ]);
    await until(() => services.taken.length >= chatNames.length, "a message at each service");
    const texts = services.taken.map(({ text }) => text);
    expect(texts.filter((text) => text.includes("Out of memory"))).toHaveLength(chatNames.length);
    expect(texts.filter((text) => text.includes("Step 1"))).toEqual([]);
    for (const name of chatNames)
      await until(
        async () => (await app.ctx.data.deliveries(name, { limit: 5 })).length === 1,
        `the delivery of ${name} in the log`,
      );
  });

  test("tries a webhook with a sample", async () => {
    for (const name of chatNames) {
      const webhook = must(await app.ctx.data.webhook(name));
      expect(await sendTest(app.ctx, webhook)).toMatchObject({ outcome: "delivered", is_test: true });
    }
    expect(services.taken.at(-1)?.text).toContain("This is a test of your webhook");
  });

  test("is not signed: no chat service knows the secret", () => {
    expect(services.headers.map((headers) => headers.get("webhook-signature"))).toEqual(
      Array(2 * chatNames.length).fill(null),
    );
  });
});
