/** The settings page's webhooks, and the page of one of them: without scripts, as forms. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { event, must, openApp, type TestApp } from "../support/harness.ts";
import { openSession } from "../support/test-server.ts";
import { type EventReceiver, startReceiver } from "../support/webhooks/event-receiver.ts";
import { addWebhook, newDelivery } from "../support/webhooks/webhook-rows.ts";

let app: TestApp;
let receiver: EventReceiver;
let origin: string;
let cookie: string;

beforeAll(async () => {
  app = await openApp("sqlite", { SVC_WEBHOOK_ALLOW: "127.0.0.1" });
  receiver = startReceiver();
  origin = app.listen();
  cookie = await cookieOf(await app.mint(allScopes, { name: "boss" }));
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

async function cookieOf(token: string): Promise<string> {
  const [session] = await openSession(origin, token);
  return `${must(session).name}=${must(session).value}`;
}
async function load(path: string) {
  const response = await app.ask(path, { headers: { accept: "text/html", cookie } });
  const html = await response.text();
  return { status: response.status, html, text: textOf(html) };
}
const textOf = (html: string): string =>
  must(/<main[\s\S]*<\/main>/.exec(html))[0]
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");
const csrfOf = (html: string): string => must(/name="csrf" value="([^"]+)"/.exec(html)?.[1]);
const submit = (path: string, fields: Record<string, string>) =>
  app.ask(path, {
    ...{ method: "POST", body: new URLSearchParams(fields) },
    headers: { accept: "text/html", cookie, origin: "http://svc.test" },
  });
/** Sends a form of the webhook's page. @returns where it leads to, and the page there */
async function press(id: string, action: string, fields: Record<string, string> = {}) {
  const { html } = await load(`/settings/webhooks/${id}`);
  const response = await submit(`/settings/webhooks/${id}/${action}`, { csrf: csrfOf(html), ...fields });
  const location = response.headers.get("location");
  return { status: response.status, location, text: location ? (await load(location)).text : "" };
}

describe("the settings page", () => {
  test("lists webhooks with status and last delivery", async () => {
    const url = "https://hooks.slack.com/services/T0000/B0000/secretsecretXYZ9";
    const id = await addWebhook(app.ctx.data, { url, filters: { kind: ["run.failed"], cost_above: 5 } });
    await app.ctx.data.atomically((writes) => writes.addDelivery(newDelivery(id, { outcome: "failed" })));
    const { text, html } = await load("/settings/webhooks");
    expect(text).toContain(
      "https://hooks.slack.com/…XYZ9 JSON Run failed · above $5 admin active failed 1 Jan",
    );
    expect(html).not.toContain("secretsecret");
    expect(html).toContain(`href="/settings/webhooks/${id}"`);
  });
});

describe("the page of a webhook", () => {
  test("shows each delivery with request, answer and time, in pages and by outcome", async () => {
    const id = await addWebhook(app.ctx.data, { name: "deploys" });
    await app.ctx.data.atomically(async (writes) => {
      for (let index = 0; index < 26; index++)
        await writes.addDelivery(newDelivery(id, { request: `{"n":${index}}`, response: "<b>fine</b>" }));
      const error = "The receiver answered 503.";
      await writes.addDelivery(newDelivery(id, { outcome: "failed", status: 503, error, attempt: 2 }));
    });
    const { text, html } = await load(`/settings/webhooks/${id}`);
    expect(text).toContain("deploys active");
    expect(text).toContain(
      "failed 1 Jan 1970, 00:00 UTC 503 in 12 ms · event 1 · atlas · attempt 2 The receiver answered 503.",
    );
    expect(text).toContain("Request { &quot;n&quot;: 25 } Answer 200 &lt;b>fine&lt;/b>");
    const next = must(/href="([^"]+)" rel="next"/.exec(html)?.[1]).replaceAll("&amp;", "&");
    expect((await load(next)).text).toContain("&quot;n&quot;: 0 }");
    expect((await load(`/settings/webhooks/${id}?outcome=refused`)).text).toContain("No deliveries refused.");
    expect((await load("/settings/webhooks/01J9ZC5W8Q4T3M2N1K0H7G6F5D")).status).toBe(404);
  });

  test("has buttons that send a test, pause, resume, and send events again", async () => {
    const id = await addWebhook(app.ctx.data, { url: receiver.urlOf("in") });
    expect((await press(id, "test")).text).toContain(" The receiver accepted the test.");
    receiver.answer = () => new Response("no", { status: 500 });
    expect((await press(id, "test")).text).toContain(" The test failed.");
    expect((await press(id, "pause")).text).toContain("Paused by boss.");
    expect((await press(id, "resume")).text).toContain(" Resumed.");
    const { added } = await app.ctx.data.append([event({})]);
    const delivery = await app.ctx.data.atomically((writes) =>
      writes.addDelivery(newDelivery(id, { first_event: must(added[0]).id, last_event: must(added[0]).id })),
    );
    expect((await press(id, "replay", { delivery: String(delivery) })).text).toContain(" Sending again.");
    expect((await press(id, "replay", { from: "1", to: "" })).text).toContain(" Sending again.");
    expect((await press(id, "replay", { from: "4711" })).status).toBe(400);
  });

  test("refuses a form without its token, and a visitor without the scope", async () => {
    const id = await addWebhook(app.ctx.data);
    expect((await submit(`/settings/webhooks/${id}/pause`, { csrf: "forged" })).status).toBe(403);
    expect(must(await app.ctx.data.webhook(id)).status).toBe("active");
    const reader = await cookieOf(await app.mint(["feed:read"], { name: "reader" }));
    const headers = { accept: "text/html", cookie: reader };
    expect((await app.ask(`/settings/webhooks/${id}`, { headers })).status).toBe(403);
  });
});
