/** Webhooks over the API: what a caller may create, sees, and can send again. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Webhook as Verifier } from "standardwebhooks";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import type {
  CreatedWebhook,
  DeliveryPage,
  RemovedWebhook,
  Replay,
  RotatedSecret,
  Webhook,
  WebhookDelivery,
} from "../../../src/integrations/webhooks/schema.ts";
import { event, link, must, openApp, rowsOf, type TestApp, type TestRequest } from "../../support/harness.ts";
import { type EventReceiver, startReceiver } from "../../support/webhooks/event-receiver.ts";
import { addWebhook, newDelivery } from "../../support/webhooks/webhook-rows.ts";

let app: TestApp;
let receiver: EventReceiver;
let admin: string;
let limited: string;

beforeAll(async () => {
  app = await openApp("sqlite", { SVC_WEBHOOK_ALLOW: "127.0.0.1" });
  receiver = startReceiver();
  await link(app.ctx.data, "atlas");
  await link(app.ctx.data, "beacon");
  admin = await app.mint(allScopes, { name: "boss" });
  limited = await app.mint(["webhooks:write"], { name: "atlas-ops", projects: ["atlas"] });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

async function call<T>(path: string, init: TestRequest = {}) {
  const response = await app.ask(`/api/v1/webhooks${path}`, { token: admin, ...init });
  return { status: response.status, body: (await response.json()) as T & { detail?: string } };
}
const post = <T>(path: string, json?: unknown, token = admin) =>
  call<T>(path, { method: "POST", token, ...(json !== undefined && { json }) });
const create = (fields: object = {}, token?: string) =>
  post<CreatedWebhook>("", { url: receiver.urlOf("in"), ...fields }, token);
const created = async (fields?: object, token?: string) => (await create(fields, token)).body;

describe("a webhook", () => {
  test("is created with its filters, for the token that made it", async () => {
    const filters = { kind: ["run.failed"], project: ["atlas"], cost_above: 2.5 };
    const { status, body } = await create({ name: "deploy bot", filters });
    const { secret, ...webhook } = body;
    expect([status, secret]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    expect(webhook).toMatchObject({ name: "deploy bot", format: "json", filters, owner: "boss" });
    expect(webhook).toMatchObject({ status: "active", paused_at: null, last_delivery: null });
    expect((await call<Webhook>(`/${body.id}`)).body).toEqual(webhook);
  });

  test("shows its secret once, and never its whole URL: not in answers, the audit log or the server log", async () => {
    const url = `${receiver.urlOf("services")}/T0000/B0000/secretsecretXYZ?key=hidden-key-4711`;
    const { id, secret } = await created({ url });
    expect((await call<Webhook>(`/${id}`)).body.url).toBe(`${new URL(url).origin}/…4711`);
    await post(`/${id}/test`);
    await app.ctx.audit.close();
    const audit = await app.ctx.data.audit({ limit: 100 });
    const answers = [
      await call(""),
      await call(`/${id}`),
      await call(`/${id}/deliveries`),
      audit,
      app.logged,
    ];
    for (const hidden of [secret, "secretsecret", "hidden-key"])
      expect(JSON.stringify(answers)).not.toContain(hidden);
    expect(audit.filter(({ target }) => target === id).map(({ who, what }) => [who, what])).toEqual([
      ["boss", "testWebhook"],
      ["boss", "createWebhook"],
    ]);
  });

  test("is refused with a sentence that says what to do", async () => {
    const cases: [fields: object, detail: RegExp][] = [
      [{ url: "https://10.0.0.1/" }, /^url: 10\.0\.0\.1 is not a public address.*SVC_WEBHOOK_ALLOW/],
      [{ url: "http://8.8.8.8/" }, /^url: Use an https URL/],
      [{ url: "https://u:p@8.8.8.8/" }, /^url: The URL holds a user name/],
      [{ url: "in" }, /^url: The URL is not valid/],
      [{ filters: { project: ["nowhere"] } }, /^filters\.project has 'nowhere', which is no project/],
      [{ filters: { lane: ["lane_z"] } }, /^filters\.lane must be one of lane_a/],
      [{ filters: { kind: ["run.exploded"] } }, /^filters\.kind\[0\] must be one of/],
      [{ filters: { kinds: ["run.failed"] } }, /^filters\.kinds/],
      [{ format: "carrier-pigeon" }, /^format must be one of json, slack/],
    ];
    for (const [fields, detail] of cases) {
      const { status, body } = await create(fields);
      expect([fields, status, body.detail]).toEqual([fields, 400, expect.stringMatching(detail)]);
    }
  });

  test("pauses and resumes, and says by whom", async () => {
    const { id } = await created();
    const paused = (await post<Webhook>(`/${id}/pause`)).body;
    expect(paused).toMatchObject({ status: "paused", paused_reason: "Paused by boss." });
    expect((await post<Webhook>(`/${id}/pause`)).body).toEqual(paused);
    const resumed = (await post<Webhook>(`/${id}/resume`)).body;
    expect(resumed).toMatchObject({ status: "active", paused_at: null, paused_reason: null });
  });

  test("whose token was revoked is not resumed, and its answer says what to do", async () => {
    const name = "leaver";
    const { id } = await created({}, await app.mint(allScopes, { name }));
    await post(`/${id}/pause`);
    await app.ctx.data.atomically((writes) => writes.revokeToken(name, app.clock.now()));
    const { status, body } = await post<Webhook>(`/${id}/resume`);
    expect([status, body.detail]).toEqual([
      409,
      `Its token ${name} was revoked. Create a new webhook with a valid token.`,
    ]);
    expect((await call<Webhook>(`/${id}`)).body.status).toBe("paused");
  });

  test("is removed for good", async () => {
    const { id } = await created();
    expect((await call<RemovedWebhook>(`/${id}`, { method: "DELETE" })).body).toEqual({ id, removed: true });
    for (const path of [`/${id}`, `/${id}/deliveries`]) expect((await call(path)).status).toBe(404);
    expect((await call(`/${id}`, { method: "DELETE" })).status).toBe(404);
  });

  test("is refused to an owner who has a thousand", async () => {
    await rowsOf(
      app.url,
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1000)
       insert into webhooks (id, url, format, filters, owner, secret, status, created_at, cursor)
       select 'many-' || n, 'https://webhook.invalid/in', 'json', '{}', 'many', '', 'paused', 1, 0 from numbers`,
    );
    const { status, body } = await create({}, await app.mint(["webhooks:write"], { name: "many" }));
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/^You have 1000 webhooks/)]);
    await rowsOf(app.url, "delete from webhooks where owner = 'many'");
  });
});

describe("a token limited to projects", () => {
  test("sees and changes its own webhooks alone", async () => {
    const [own, other] = [await created({ name: "own" }, limited), await created({ name: "other" })];
    const { body } = await call<{ webhooks: Webhook[] }>("", { token: limited });
    expect(body.webhooks.map(({ id }) => id)).toEqual([own.id]);
    const actions = ["test", "pause", "resume", "rotate", "replay"];
    const requests: [path: string, method: string][] = [
      ...["", "/deliveries"].map((path): [string, string] => [path, "GET"]),
      ...actions.map((action): [string, string] => [`/${action}`, "POST"]),
      ["", "DELETE"],
    ];
    for (const [path, method] of requests) {
      const json = path === "/replay" ? { json: { event: 1 } } : {};
      const { status } = await call(`/${other.id}${path}`, { token: limited, method, ...json });
      expect([path, method, status]).toEqual([path, method, 404]);
    }
    expect((await call(`/${own.id}`, { token: limited })).status).toBe(200);
    expect((await call(`/${own.id}`)).status).toBe(200);
  });

  test("cannot name a project that it cannot read", async () => {
    const { status, body } = await create({ filters: { project: ["beacon"] } }, limited);
    expect([status, body.detail]).toEqual([400, expect.stringContaining("'beacon'")]);
  });
});

describe("the secret", () => {
  test("signs what the receiver gets, and for a day after a rotation the old one does too", async () => {
    const { id, secret } = await created();
    const { body: rotated } = await post<RotatedSecret>(`/${id}/rotate`);
    expect(rotated.secret).not.toBe(secret);
    // The library checks the timestamp against the real clock.
    app.clock.set(new Date().toISOString());
    const isAccepted = async (key: string) => {
      receiver.reset();
      expect((await post<WebhookDelivery>(`/${id}/test`)).body.outcome).toBe("delivered");
      const { text, headers } = must(receiver.received[0]);
      const given = Object.fromEntries(headers.entries());
      try {
        return Boolean(new Verifier(key).verify(text, given));
      } catch {
        return false;
      }
    };
    const at = app.clock.now();
    await app.ctx.data.atomically((writes) =>
      writes.changeWebhook(id, { previous_secret_until: at + dayMicros }),
    );
    expect([await isAccepted(secret), await isAccepted(rotated.secret)]).toEqual([true, true]);
    await app.ctx.data.atomically((writes) => writes.changeWebhook(id, { previous_secret_until: at }));
    expect([await isAccepted(secret), await isAccepted(rotated.secret)]).toEqual([false, true]);
  });
});

describe("a replay", () => {
  const replaysOf = async (id: string) =>
    (await app.ctx.data.replays()).filter(({ webhook }) => webhook === id);

  test("covers an event, a delivery, a range, or everything since a time", async () => {
    const { id } = await created();
    const at = app.clock.now();
    const { added } = await app.ctx.data.append(
      [1, 2, 3].map((hour) => event({ project: "atlas", ts: at + hour * 3_600e6 })),
    );
    const [first, second, third] = added.map((one) => one.id) as [number, number, number];
    const delivery = await app.ctx.data.atomically((writes) =>
      writes.addDelivery(newDelivery(id, { first_event: first, last_event: second })),
    );
    const since = new Date(at / 1000 + 1.5 * 3_600_000).toISOString();
    const replays: [input: object, range: Partial<Replay>][] = [
      [{ event: second }, { from: second, to: second, project: null }],
      [{ delivery }, { from: first, to: second, project: "atlas" }],
      [
        { from: first, to: second },
        { from: first, to: second, project: null },
      ],
      [{ from: second }, { from: second, to: third }],
      [
        { from: second, to: third + 1000 },
        { from: second, to: third },
      ],
      [{ since }, { from: second, to: third, project: null }],
    ];
    for (const [input, range] of replays)
      expect([input, (await post<Replay>(`/${id}/replay`, input)).body]).toEqual([
        input,
        expect.objectContaining({ id, ...range }),
      ]);
    expect(await replaysOf(id)).toHaveLength(replays.length);
  });

  test("is refused if it names no range, several, or one without events", async () => {
    const { id } = await created();
    const other = await addWebhook(app.ctx.data);
    const ofTest = { first_event: null, last_event: null, is_test: true };
    const [foreign, sample] = await app.ctx.data.atomically(async (writes) => [
      await writes.addDelivery(newDelivery(other)),
      await writes.addDelivery(newDelivery(id, ofTest)),
    ]);
    const cases: [input: object, status: number, detail: RegExp][] = [
      [{}, 400, /^Name exactly one of/],
      [{ event: 1, from: 1 }, 400, /^Name exactly one of/],
      [{ to: 3 }, 400, /^Name exactly one of/],
      [{ event: 1, to: 3 }, 400, /^to needs from/],
      [{ from: 3, to: 2 }, 400, /^to must not be lower/],
      [{ event: 4_711 }, 400, /^There is no event 4711 yet/],
      [{ since: "2199-01-01T00:00:00Z" }, 400, /^There are no events since/],
      [{ delivery: foreign }, 404, /^This webhook has no delivery/],
      [{ delivery: sample }, 400, /^This delivery was a test/],
    ];
    for (const [input, status, detail] of cases) {
      const answer = await post<Replay>(`/${id}/replay`, input);
      expect([input, answer.status, answer.body.detail]).toEqual([
        input,
        status,
        expect.stringMatching(detail),
      ]);
    }
    expect(await replaysOf(id)).toEqual([]);
  });
});

test("deliveries come in pages, newest first, and by outcome", async () => {
  const { id } = await created();
  const failed = { outcome: "failed", status: 500, error: "The receiver answered 500." } as const;
  const ids = await app.ctx.data.atomically(async (writes) => {
    const added: number[] = [];
    for (let index = 0; index < 5; index++)
      added.push(await writes.addDelivery(newDelivery(id, index % 2 ? failed : {})));
    return added;
  });
  const pageOf = async (query: string) => (await call<DeliveryPage>(`/${id}/deliveries?${query}`)).body;
  const first = await pageOf("limit=3");
  const second = await pageOf(`limit=3&cursor=${first.next_cursor}`);
  expect([...first.deliveries, ...second.deliveries].map((one) => one.id)).toEqual(ids.toReversed());
  expect([first.count, second.count, second.next_cursor]).toEqual([3, 2, null]);
  const failures = (await pageOf("outcome=failed")).deliveries;
  expect(failures.map((one) => [one.id, one.error])).toEqual([
    [must(ids[3]), failed.error],
    [must(ids[1]), failed.error],
  ]);
  expect((await call<Webhook>(`/${id}`)).body.last_delivery).toMatchObject({ outcome: "delivered" });
});
