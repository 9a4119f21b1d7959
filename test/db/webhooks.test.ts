/** Webhooks, their lanes, leases and deliveries, as the data layer has them. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { dayMicros, secondMicros } from "../../src/core/lib/time.ts";
import type { DeliveryProgress, LaneRow } from "../../src/integrations/rows.ts";
import { dialects, event, must, openTestData, rowsOf, type TestData } from "../support/harness.ts";
import { addWebhooks, newDelivery, newWebhook, noProgress } from "../support/webhooks/webhook-rows.ts";

const lease = 15 * secondMicros;
const tables = ["webhooks", "webhook_lanes", "webhook_replays", "webhook_deliveries", "webhook_nodes"];

describe.each(dialects)("on %s", (dialect) => {
  let testData: TestData;
  beforeAll(async () => {
    testData = await openTestData(dialect);
  });
  afterAll(() => testData.close());
  beforeEach(async () => {
    for (const table of tables) await rowsOf(testData.url, `delete from ${table}`);
  });

  const take = (node: string, now = 0, released: string[] = []) =>
    testData.data.atomically((writes) => writes.leaseWebhooks({ node, now, until: now + lease, released }));
  const record = (node: string, progress: Partial<DeliveryProgress>) =>
    testData.data.atomically((writes) => writes.recordProgress({ node }, { ...noProgress, ...progress }));
  const lane = (webhook: string, fields: Partial<LaneRow> = {}): LaneRow => ({
    ...{ webhook, replay: "", project: "atlas", cursor: 3, attempts: 2, due_at: 50 },
    ...{ failing_since: 40, last_sent_at: null },
    ...fields,
  });

  test("a webhook starts with the next event, and its version changes with it", async () => {
    const { data } = testData;
    await data.append([event({}), event({})]);
    const version = await data.webhooksVersion();
    const filters = { kind: ["run.failed" as const], cost_above: 0.5 };
    await addWebhooks(data, [newWebhook("w1", { filters, owner: "ci" }), newWebhook("w2")]);
    const newest = await data.newestEventId();
    expect(must(await data.webhook("w1"))).toMatchObject({ status: "active", cursor: newest, filters });
    expect((await data.webhooks()).map(({ id }) => id)).toEqual(["w2", "w1"]);
    expect((await data.webhooks({ owner: "ci" })).map(({ id }) => id)).toEqual(["w1"]);
    expect((await data.webhooks({ owner: null })).map(({ id }) => id)).toEqual(["w2"]);
    expect(await data.webhook("w3")).toBeNull();
    expect(await data.webhooksVersion()).not.toBe(version);
  });

  test("events are read in the order of their ids, whatever their time", async () => {
    const { data } = testData;
    const first = await data.newestEventId();
    await data.append([event({}), event({ ts: 5 }), event({})]);
    const events = await data.eventsById(first, 2);
    expect(events.map(({ id }) => id)).toEqual([first + 1, first + 2]);
    expect(must(events[1]).ts).toBe(5);
    expect(await data.firstEventSince(must(events[0]).ts)).toBe(first + 1);
    expect(await data.firstEventSince(Number.MAX_SAFE_INTEGER)).toBeNull();
  });

  test("pausing and resuming: a resumed webhook tries what had failed", async () => {
    const { data } = testData;
    await addWebhooks(data, [newWebhook("w1")]);
    await take("a");
    await record("a", { lanes: [lane("w1"), lane("w1", { project: "held", failing_since: null })] });
    const pause = { status: "paused", paused_at: 7, paused_reason: "Its owner was revoked." } as const;
    expect(await data.atomically((writes) => writes.changeWebhook("w1", pause))).toBe(true);
    expect((await data.webhookBacklog(Number.MAX_SAFE_INTEGER)).paused).toEqual([
      { id: "w1", name: null, paused_reason: "Its owner was revoked." },
    ]);
    const resume = { status: "active", paused_at: null, paused_reason: null } as const;
    await data.atomically((writes) => writes.changeWebhook("w1", resume));
    const lanes = await data.webhookLanes(["w1"]);
    expect(lanes.map(({ project, attempts, due_at }) => [project, attempts, due_at]).sort()).toEqual([
      ["atlas", 0, 0],
      ["held", 2, 50],
    ]);
    expect(await data.atomically((writes) => writes.changeWebhook("w3", resume))).toBe(false);
  });

  test("removing a webhook removes its lanes and replays, and keeps its deliveries", async () => {
    const { data } = testData;
    await addWebhooks(data, [newWebhook("w1")]);
    await data.atomically((writes) =>
      writes.addReplay({ id: "r1", webhook: "w1", project: null, from: 3, to: 9 }),
    );
    expect(await data.replays()).toEqual([{ id: "r1", webhook: "w1", project: null, cursor: 2, until: 9 }]);
    await take("a");
    await record("a", { lanes: [lane("w1")], deliveries: [newDelivery("w1")] });
    expect(await data.atomically((writes) => writes.removeWebhook("w1"))).toBe(true);
    expect(await data.atomically((writes) => writes.removeWebhook("w1"))).toBe(false);
    expect([await data.webhookLanes(["w1"]), await data.replays()]).toEqual([[], []]);
    expect((await data.deliveries("w1", { limit: 5 })).length).toBe(1);
    await record("a", { lanes: [lane("w1")] });
    expect(await data.webhookLanes(["w1"])).toEqual([]);
  });

  test("deliveries are listed newest first, also by outcome, and the last of each webhook is found", async () => {
    const { data } = testData;
    const outcomes = ["delivered", "failed", "delivered", "refused", "delivered"] as const;
    const ids: number[] = [];
    for (const outcome of outcomes)
      ids.push(await data.atomically((writes) => writes.addDelivery(newDelivery("w1", { outcome }))));
    await data.atomically((writes) => writes.addDelivery(newDelivery("w2", { is_test: true, status: null })));
    const page = async (query: Partial<Parameters<typeof data.deliveries>[1]>) =>
      (await data.deliveries("w1", { limit: 2, ...query })).map(({ id }) => ids.indexOf(id));
    expect(await page({})).toEqual([4, 3]);
    expect(await page({ before: must(ids[3]) })).toEqual([2, 1]);
    expect(await page({ outcome: "delivered", before: must(ids[4]) })).toEqual([2, 0]);
    expect(must(await data.delivery(must(ids[3])))).toMatchObject({ outcome: "refused", is_test: false });
    expect(await data.delivery(0)).toBeNull();
    const last = await data.lastDeliveries(["w1", "w2", "w3"]);
    expect([...last].map(([webhook, { is_test }]) => [webhook, is_test])).toEqual([
      ["w1", false],
      ["w2", true],
    ]);
  });

  test("old deliveries are deleted, others stay", async () => {
    const { data } = testData;
    for (const at of [1, 2, 40 * dayMicros])
      await data.atomically((writes) => writes.addDelivery(newDelivery("w1", { at })));
    expect(await data.atomically((writes) => writes.trimDeliveries(30 * dayMicros))).toBe(2);
    expect((await data.deliveries("w1", { limit: 9 })).map(({ at }) => at)).toEqual([40 * dayMicros]);
  });

  test("processes share the active webhooks; those of a silent one go to the others", async () => {
    const { data } = testData;
    await addWebhooks(
      data,
      ["w1", "w2", "w3", "w4", "w5"].map((id) => newWebhook(id)),
    );
    const paused = { status: "paused", paused_at: 1, paused_reason: "" } as const;
    await data.atomically((writes) => writes.changeWebhook("w5", paused));
    expect((await take("a")).held.sort()).toEqual(["w1", "w2", "w3", "w4"]);
    expect(await take("b")).toEqual({ held: [], surplus: 0 });
    expect((await take("a")).surplus).toBe(2);
    expect((await take("a", 1, ["w3", "w4"])).held.sort()).toEqual(["w1", "w2"]);
    expect((await take("b", 1)).held.sort()).toEqual(["w3", "w4"]);
    expect((await take("b", lease + 1)).held.sort()).toEqual(["w1", "w2", "w3", "w4"]);
    expect(await take("a", lease + 1)).toEqual({ held: [], surplus: 0 });
    await data.atomically((writes) => writes.endLease("b"));
    expect((await take("a", lease + 1)).held.length).toBe(4);
  });

  test("progress is written together, and not without a lease", async () => {
    const { data } = testData;
    await addWebhooks(data, [newWebhook("w1"), newWebhook("w2")]);
    expect(await record("a", { deliveries: [newDelivery("w1")] })).toBe(false);
    expect(await data.deliveries("w1", { limit: 5 })).toEqual([]);
    await take("a");
    await data.atomically((writes) =>
      writes.addReplay({ id: "r1", webhook: "w1", project: "atlas", from: 3, to: 9 }),
    );
    const progress = {
      deliveries: [
        newDelivery("w1"),
        newDelivery("w2", { outcome: "failed", status: null, is_replay: true }),
      ],
      webhooks: [{ id: "w1", cursor: 4711 }],
      replays: [{ id: "r1", cursor: 5 }],
      lanes: [lane("w2"), lane("w1", { replay: "r1" })],
    };
    expect(await record("a", progress)).toBe(true);
    expect(must(await data.webhook("w1")).cursor).toBe(4711);
    expect(must((await data.replays())[0]).cursor).toBe(5);
    expect(await data.webhookLanes(["w2"])).toEqual([lane("w2")]);
    expect((await data.webhookBacklog(41)).behind.map(({ webhook }) => webhook).sort()).toEqual(["w1", "w2"]);
    const ended = { finished: ["r1"], lanes: [lane("w2", { attempts: 3 })] };
    expect(await record("a", ended)).toBe(true);
    expect([await data.replays(), await data.webhookLanes(["w1"])]).toEqual([[], []]);
    expect(await data.webhookLanes(["w2"])).toEqual([lane("w2", { attempts: 3 })]);
    await record("a", { removed: [lane("w2")] });
    expect(await data.webhookLanes(["w2"])).toEqual([]);
  });
});
