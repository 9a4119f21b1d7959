/**
 * Memory budgets of buffered request bodies: anonymous clients cannot exhaust that of authenticated callers.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { anonymousBodies, callerBodies } from "../../../src/core/lib/http/request-body.ts";
import { event, openApp, type TestApp, type TestRequest, until } from "../../support/harness.ts";

const MiB = 2 ** 20;
const usual = {
  caller: callerBodies.bytesMax,
  anonymous: anonymousBodies.bytesMax,
  client: anonymousBodies.clientBytesMax,
};
const usualPace = { ...anonymousBodies.pace };

let app: TestApp;
let token: string;
beforeAll(async () => {
  app = await openApp("sqlite", { SVC_GITHUB_WEBHOOK_SECRET: "a secret" });
  token = await app.mint(["feed:write"]);
});
afterAll(() => app.close());
afterEach(() => {
  [callerBodies.bytesMax, anonymousBodies.bytesMax, anonymousBodies.clientBytesMax] = [
    usual.caller,
    usual.anonymous,
    usual.client,
  ];
  Object.assign(anonymousBodies.pace, usualPace);
});

/** Starts requests whose bodies stall. */
function stalledBodies() {
  const gone = new AbortController();
  const answers: Promise<Response>[] = [];
  return {
    send(path: string, init: TestRequest, bytes: number) {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new Uint8Array(bytes));
          gone.signal.addEventListener("abort", () => controller.error(new Error("gone")));
        },
      });
      answers.push(
        app.ask(path, { method: "POST", headers: { "content-type": "application/json" }, ...init, body }),
      );
    },
    async hangUp() {
      gone.abort();
      expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([400]));
      expect([callerBodies.bytes, anonymousBodies.bytes, anonymousBodies.clients]).toEqual([0, 0, 0]);
    },
  };
}

const append = (bytes: number) =>
  app.ask("/api/v1/events", { token, json: { events: [event()], pad: "x".repeat(bytes) } });
const deliver = (bytes: number, address?: string) =>
  app.ask("/api/hooks/github", { json: { pad: "x".repeat(bytes) }, ...(address && { address }) });
const form = { "content-type": "application/x-www-form-urlencoded" };

test("of authenticated callers: over the memory budget is a 503, and accepted again when there is room", async () => {
  callerBodies.bytesMax = MiB;
  const stalled = stalledBodies();
  for (const _ of [1, 2, 3]) stalled.send("/api/v1/events", { token }, 300_000);
  await until(() => callerBodies.bytes === 900_000, "they are on their way");
  const refused = await append(200_000);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  expect((await append(10)).status).toBe(200);
  await stalled.hangUp();
  expect((await append(200_000)).status).toBe(200);
});

describe("of anonymous clients", () => {
  test.each([
    ["webhooks", "/api/hooks/github", {}, 300_000, 1_000_000],
    ["MCP without a token", "/mcp", {}, 300_000, 1_000_000],
    ["the sign-in form", "/sign-in", { headers: form }, 60_000, 200_000],
  ])("in %s do not use the budget of authenticated callers", async (_, path, init, bytes, bytesMax) => {
    anonymousBodies.bytesMax = bytesMax;
    const stalled = stalledBodies();
    for (const host of [1, 2, 3]) stalled.send(path, { ...init, address: `192.0.2.${host}` }, bytes);
    await until(() => anonymousBodies.bytes === 3 * bytes, "they are on their way");
    expect((await deliver(300_000, "192.0.2.9")).status).toBe(503);
    callerBodies.bytesMax = MiB;
    expect((await append(900_000)).status).toBe(200);
    await stalled.hangUp();
  });

  test.each([
    ["address", "192.0.2.1", "192.0.2.1", "192.0.2.2"],
    ["IPv4 address in IPv6", "::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.2"],
    ["IPv6 /64", "2001:db8:1:2::1", "2001:db8:1:2:ffff:0:0:1", "2001:db8:1:3::1"],
    ["short IPv6 /64", "2001:db8::1", "2001:db8:0:0:1::", "2001:db8:0:1::1"],
  ])("have a limit per %s", async (_, address, same, other) => {
    anonymousBodies.clientBytesMax = MiB;
    const stalled = stalledBodies();
    for (const _ of [1, 2, 3]) stalled.send("/api/hooks/github", { address }, 300_000);
    await until(() => anonymousBodies.bytes === 900_000, "they are on their way");
    const refused = await deliver(200_000, same);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
    expect((await deliver(200_000, other)).status).toBe(401);
    await stalled.hangUp();
    expect((await deliver(200_000, same)).status).toBe(401);
  });

  test("count even if they are small", async () => {
    anonymousBodies.clientBytesMax = 20_000;
    const body = () => new Uint8Array(12_000);
    const stalled = stalledBodies();
    stalled.send(
      "/api/hooks/github",
      { headers: { "content-type": "application/json", "content-length": "12000" } },
      11_999,
    );
    await until(() => anonymousBodies.bytes === 12_000, "it is on its way");
    const headers = { "content-type": "application/json", "content-length": "12000" };
    expect((await app.ask("/api/hooks/github", { method: "POST", headers, body: body() })).status).toBe(503);
    await stalled.hangUp();
  });

  const dripping = (bytes: number, ms: number) =>
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        await Bun.sleep(ms);
        controller.enqueue(new Uint8Array(bytes));
      },
    });
  const drip = (bytes: number, ms: number) =>
    app.ask("/api/hooks/github", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: dripping(bytes, ms),
    });

  test("get a 400 if they arrive too slowly", async () => {
    Object.assign(anonymousBodies.pace, { bytes: 1_000_000, ms: 100 });
    expect(await (await drip(1_000, 10)).json()).toMatchObject({
      status: 400,
      detail: "Timed out while waiting for the request body.",
    });
  });

  test("get a 400 after the time limit, however fast they arrive", async () => {
    Object.assign(anonymousBodies.pace, { bytes: 1, totalMs: 200 });
    expect(await (await drip(1_000, 10)).json()).toMatchObject({
      status: 400,
      detail: "Timed out while waiting for the request body.",
    });
    expect([anonymousBodies.bytes, anonymousBodies.clients]).toEqual([0, 0]);
  });
});
