/** Events are delivered to webhooks: in order, at least once, and as the filters and the owner allow. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { dayMicros, minuteMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { NewWebhookRow } from "../../../src/integrations/rows.ts";
import { type Delivery, startDelivery } from "../../../src/integrations/webhooks/delivery/delivery.ts";
import { sendTest } from "../../../src/integrations/webhooks/delivery/send.ts";
import { dialects, event, must, openApp, rowsOf, type TestApp, until } from "../../support/harness.ts";
import { type EventReceiver, startReceiver } from "../../support/webhooks/event-receiver.ts";
import { addWebhooks, newWebhook } from "../../support/webhooks/webhook-rows.ts";

const tables = ["webhooks", "webhook_lanes", "webhook_replays", "webhook_deliveries", "webhook_nodes"];

describe.each(dialects)("webhooks on %s", (dialect) => {
  let app: TestApp;
  let receiver: EventReceiver;
  let delivery: Delivery | null = null;
  beforeAll(async () => {
    app = await openApp(dialect, { SVC_WEBHOOK_ALLOW: "127.0.0.1" });
    receiver = startReceiver();
  });
  beforeEach(async () => {
    for (const table of tables) await rowsOf(app.url, `delete from ${table}`);
    receiver.reset();
  });
  afterEach(async () => {
    await delivery?.stop();
    delivery = null;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const start = () => (delivery = startDelivery(app.ctx));
  const add = (id: string, fields: Partial<NewWebhookRow> = {}) =>
    addWebhooks(app.ctx.data, [newWebhook(id, { url: receiver.urlOf(id), ...fields })]);
  const append = async (...fields: Partial<Appendable>[]) => {
    const { added } = await app.ctx.data.append(fields.map((one) => event(one)));
    return added.map(({ id }) => id);
  };
  const delivered = (id: string, count: number) =>
    until(() => receiver.accepted(id).length >= count, `${count} events at ${id}`);
  const log = (id: string) => app.ctx.data.deliveries(id, { limit: 200 });
  const logged = (id: string, count: number) =>
    until(async () => (await log(id)).length >= count, `${count} deliveries of ${id}`);

  test("get the events from their creation on, signed, in order; each is in the log", async () => {
    await append({});
    await add("all");
    start();
    const ids = await append({ project: "atlas" }, { project: "borea" }, { project: "atlas" });
    await delivered("all", 3);
    expect(receiver.accepted("all").sort()).toEqual(ids);
    const first = must(receiver.received.find(({ event: { id } }) => id === ids[0]));
    expect(first.id).toBe(`evt_${ids[0]}`);
    expect(first.headers.get("webhook-signature")).toMatch(/^v1,/);
    await logged("all", 3);
    expect((await log("all")).map(({ outcome, status, attempt }) => [outcome, status, attempt])).toEqual(
      Array(3).fill(["delivered", 200, 1]),
    );
    await delivery?.stop();
    expect(must(await app.ctx.data.webhook("all")).cursor).toBe(must(ids.at(-1)));
  });

  test("get only what their filters match and their owner may read", async () => {
    await app.mint(["feed:read"], { name: `limited-${dialect}`, projects: ["atlas"] });
    await add("failures", { filters: { kind: ["run.failed"], cost_above: 1 } });
    await add("limited", { owner: `limited-${dialect}` });
    await add("borea", { filters: { project: ["borea"] } });
    start();
    const ids = await append(
      { kind: "run.failed", project: "borea", cost_equiv: 2 },
      { kind: "run.failed", project: "atlas", cost_equiv: 0.5 },
      {},
    );
    await delivered("failures", 1);
    await delivered("limited", 1);
    await delivered("borea", 1);
    expect(receiver.accepted("failures")).toEqual([must(ids[0])]);
    expect(receiver.accepted("limited")).toEqual([must(ids[1])]);
    expect(receiver.accepted("borea")).toEqual([must(ids[0])]);
  });

  test("a project that fails waits and keeps its order; other projects go on", async () => {
    await add("w");
    let isDown = true;
    receiver.answer = ({ event: { project } }) =>
      new Response("no", { status: isDown && project === "atlas" ? 503 : 200 });
    start();
    const atlas = await append({ project: "atlas" }, { project: "atlas" }, { project: "atlas" });
    const borea = await append({ project: "borea" });
    await delivered("w", 1);
    expect(receiver.accepted("w")).toEqual(borea);
    await logged("w", 2);
    const [lane] = await app.ctx.data.webhookLanes(["w"]);
    expect(must(lane)).toMatchObject({ project: "atlas", attempts: 1, cursor: must(atlas[0]) - 1 });
    isDown = false;
    app.clock.advance(6 * secondMicros);
    await delivered("w", 4);
    expect(receiver.accepted("w").slice(1)).toEqual(atlas);
    await until(async () => (await app.ctx.data.webhookLanes(["w"])).length === 0, "the lane to catch up");
    const attempts = (await log("w")).filter(({ first_event }) => first_event === atlas[0]);
    expect(attempts.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ["delivered", 2],
      ["failed", 1],
    ]);
  });

  test("a project whose first message is never answered holds back no other one", async () => {
    await add("w");
    receiver.answer = ({ event }) => (event.project === "atlas" ? new Promise(() => {}) : new Response(""));
    start();
    await append({ project: "atlas" }, { project: "borea" });
    await logged("w", 1);
    expect((await log("w")).map(({ project }) => project)).toEqual(["borea"]);
  });

  test("a receiver that fails for three days, or is gone, pauses its webhook, which tells the others", async () => {
    await add("dead", { name: "old bot" });
    await add("gone");
    await add("alive", { filters: { kind: ["webhook.paused"] } });
    receiver.answer = ({ path }) => new Response("", { status: { dead: 500, gone: 410 }[path] ?? 200 });
    start();
    await append({ project: "atlas" });
    const status = async (id: string) => must(await app.ctx.data.webhook(id)).status;
    await until(async () => (await status("gone")) === "paused", "a pause at once");
    for (let waits = 0; (await status("dead")) === "active"; waits++) {
      const before = receiver.received.length;
      app.clock.advance(3 * 60 * minuteMicros);
      await until(
        async () => receiver.received.length > before || (await status("dead")) === "paused",
        "another attempt",
      );
      expect(waits).toBeLessThan(60);
    }
    expect(must(await app.ctx.data.webhook("dead")).paused_reason).toContain("three days");
    await delivered("alive", 2);
    const [notice] = receiver.received.filter(
      ({ path, event: { summary } }) => path === "alive" && summary.includes("old bot"),
    );
    expect(must(notice).event.url).toEndWith("/settings/webhooks/dead");
  });

  test("a revoked owner pauses its webhook", async () => {
    const name = `revoked-${dialect}`;
    await app.mint(["feed:read"], { name });
    await add("w", { owner: name });
    start();
    await append({});
    await delivered("w", 1);
    await app.ctx.data.atomically((writes) => writes.revokeToken(name, app.clock.now()));
    await until(async () => must(await app.ctx.data.webhook("w")).status === "paused", "the pause");
    expect(must(await app.ctx.data.webhook("w")).paused_reason).toContain("revoked");
  });

  test("a paused webhook misses nothing, and sends nothing twice: resumed, it sends what came meanwhile", async () => {
    await add("w");
    const answered = Promise.withResolvers<void>();
    receiver.answer = () => answered.promise.then(() => new Response("ok"));
    start();
    await append({});
    await until(() => receiver.received.length === 1, "the message that is being sent");
    await app.ctx.data.atomically((writes) => writes.changeWebhook("w", { status: "paused" }));
    await until(() => app.ctx.metrics.webhooksLeased.of().value === 0, "the end of its deliveries");
    answered.resolve();
    await logged("w", 1);
    await delivery?.stop();
    const ids = await append({ project: "atlas" }, { project: "atlas" });
    start();
    await app.ctx.data.atomically((writes) => writes.changeWebhook("w", { status: "active" }));
    await delivered("w", 3);
    expect(receiver.accepted("w").slice(1)).toEqual(ids);
  });

  test("a replay sends a range again, as far as the filters match", async () => {
    await add("w", { filters: { kind: ["run.failed"] } });
    start();
    const fields = [{ kind: "run.failed" }, { kind: "run.finished" }, { kind: "run.failed" }] as const;
    const ids = await append(...fields.map((one) => ({ ...one, project: "atlas" })));
    await delivered("w", 2);
    const range = { id: "r1", webhook: "w", project: null, from: must(ids[0]), to: must(ids[2]) };
    await app.ctx.data.atomically((writes) => writes.addReplay(range));
    await delivered("w", 4);
    expect(receiver.accepted("w")).toEqual([ids[0], ids[2], ids[0], ids[2]].map(must));
    await until(async () => (await app.ctx.data.replays()).length === 0, "the end of the replay");
    expect((await log("w")).map(({ is_replay }) => is_replay)).toEqual([true, true, false, false]);
  });

  test("a test sends a sample, which is in the log", async () => {
    await add("w");
    const row = must(await app.ctx.data.webhook("w"));
    const sent = await sendTest(app.ctx, row);
    expect(sent).toMatchObject({ outcome: "delivered", is_test: true, first_event: null, attempt: 1 });
    expect(receiver.received.map(({ type }) => type)).toEqual(["run.failed"]);
    expect(must(await app.ctx.data.delivery(sent.id)).is_test).toBe(true);
    const refused = await sendTest(app.ctx, { ...row, url: "https://10.0.0.1/" });
    expect(refused).toMatchObject({ outcome: "refused", status: null });
  });

  test("Retry-After is honored", async () => {
    await add("w");
    const after = dayMicros / 2;
    receiver.answer = () =>
      new Response("", { status: 429, headers: { "retry-after": String(after / secondMicros) } });
    start();
    await append({});
    await until(async () => (await app.ctx.data.webhookLanes(["w"])).length === 1, "a failed lane");
    const [lane] = await app.ctx.data.webhookLanes(["w"]);
    expect(must(lane?.due_at) - must(lane?.failing_since)).toBe(after);
  });
});
