/** `/metrics`: access, format and correctness. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { openMetrics } from "../../../src/core/metrics.ts";
import { unavailable } from "../../../src/core/problem.ts";
import { version } from "../../../src/core/version.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import { storeWithMetrics } from "../../../src/files/stores/store-metrics.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import {
  dialects,
  event,
  freshDatabase,
  link,
  must,
  openApp,
  programToken,
  startServer,
  type TestApp,
  until,
} from "../../support/harness.ts";
import { openPlace } from "../../support/library.ts";
import { readExposition, type Scrape } from "../../support/telemetry/prometheus.ts";

const scrape = async (app: Pick<TestApp, "ask">, token: string): Promise<Scrape> => {
  const response = await app.ask("/metrics", { token });
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  return readExposition(await response.text());
};

describe.each(dialects)("the metrics of a deployment on %s", (dialect) => {
  test("require a token that can read the feed", async () => {
    await using app = await openApp(dialect);
    const statuses = async (ask: TestApp["ask"], ...tokens: (string | undefined)[]) =>
      Promise.all(tokens.map(async (token) => (await ask("/metrics", token ? { token } : {})).status));
    const [reader, other] = [await app.mint(["feed:read"]), await app.mint(["assets:read"])];
    expect(await statuses(app.ask, undefined, "svc_unknown", other, reader)).toEqual([401, 401, 403, 200]);
    await using open = await openApp(dialect, { SVC_PUBLIC_READ: "1" });
    expect(await statuses(open.ask, undefined)).toEqual([200]);
  });

  test("refuse a token that is limited to projects", async () => {
    for (const env of [{}, { SVC_PUBLIC_READ: "1" }]) {
      await using app = await openApp(dialect, env);
      await link(app.ctx.data, "atlas");
      const response = await app.ask("/metrics", {
        token: await app.mint(["feed:read"], { projects: ["atlas"] }),
      });
      expect([response.status, await response.text()]).toEqual([403, expect.not.stringContaining("svc_")]);
    }
  });

  test("count requests by surface and operations by name and status, even for unknown paths", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read", "feed:write"]);
    await app.ask("/api/v1/events", {
      token,
      json: { events: [event(), event({ dedupe_key: "a" }), event({ dedupe_key: "a" })] },
    });
    // The same request again would hit the response cache: a request without an operation.
    for (const limit of [1, 2, 3, 3, 3]) await app.ask(`/api/v1/feed?limit=${limit}`, { token });
    await app.ask("/api/v1/feed?limit=0", { token });
    await app.ask("/api/v1/feed");
    const invent = async (name: string) => {
      for (const folder of ["/api/v1/", "/nowhere/", "/api/assets/view/", "/media/", "/web/"])
        await app.ask(folder + name);
      return (await scrape(app, token)).samples.length;
    };
    await invent("1");
    expect(await invent("2")).toBe(await invent('3"%0A'));
    const { value } = await scrape(app, token);
    // On SQLite the response cache serves the last one, as no row changed since the fourth request.
    const remaining = dialect === "sqlite" ? 1 : 0;
    expect(value("svc_http_kept_answers_total")).toBe(remaining);
    expect(value("svc_operations_total", { operation: "getFeed", status: "200" })).toBe(5 - remaining);
    expect(value("svc_operations_total", { operation: "getFeed", status: "400" })).toBe(1);
    expect(value("svc_operations_total", { operation: "getFeed", status: "401" })).toBe(1);
    expect(value("svc_operation_duration_seconds_count", { operation: "getFeed" })).toBe(7 - remaining);
    expect(value("svc_operations_in_flight", { operation: "getFeed" })).toBe(0);
    expect(value("svc_http_requests_total", { surface: "api", status: "404" })).toBe(3);
    expect(value("svc_http_requests_total", { surface: "page", status: "404" })).toBe(3);
    expect(value("svc_http_requests_in_flight", { surface: "health" })).toBe(1); // the scrape itself
    expect(value("svc_events_appended_total")).toBe(2);
    expect(value("svc_database_calls_in_flight", { call: "write" })).toBe(0);
    expect(value("svc_database_call_duration_seconds_count", { call: "read" })).toBeGreaterThan(5);
    expect(value("svc_database_up")).toBe(1);
    expect(value("svc_build_info", { version })).toBe(1);
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1e7);
  });

  test("count the open live streams", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read"]);
    const origin = app.listen();
    const gone = new AbortController();
    const readers = async () => (await scrape(app, token)).value("svc_stream_readers");
    expect(await readers()).toBe(0);
    const open = () =>
      fetch(`${origin}/api/v1/feed/stream`, {
        headers: { authorization: `Bearer ${token}` },
        signal: gone.signal,
      });
    await Promise.all([open(), open()]);
    await until(async () => (await readers()) === 2, "both are counted");
    gone.abort();
    await until(async () => (await readers()) === 0, "no reader is counted");
    await open().catch(() => {});
  });

  test("report the size and age of the GitHub outbox", async () => {
    await using app = await openApp(dialect);
    const token = await app.mint(["feed:read"]);
    await link(app.ctx.data, "atlas");
    expect((await scrape(app, token)).value("svc_outbox_rows")).toBe(0);
    const row = {
      marker: "m",
      ...({ forge: "github", host: "github.com", repo: "acme/atlas", is_pull: false } as const),
      number: 1,
      body: "no",
      due_at: 0,
      created_at: app.clock.now(),
    };
    await app.ctx.data.atomically((writes) => writes.addOutbox(row));
    app.clock.advance(90_000_000);
    const { value } = await scrape(app, token);
    expect([value("svc_outbox_rows"), value("svc_outbox_oldest_seconds")]).toEqual([1, 90]);
  });
});

test("metrics are served to a configuration token while the database is unavailable, and report it", async () => {
  const token = "an-environment-token";
  await using app = await openApp("sqlite", { SVC_API_TOKENS: `${token}:feed:read` });
  app.ctx.data.backlog = () => Promise.reject(unavailable("no database"));
  expect((await scrape(app, token)).value("svc_database_up")).toBe(0);
});

test("bytes of uploads and downloads are counted by surface and by store", async () => {
  await using place = await openPlace("disk");
  await using database = await freshDatabase("sqlite");
  const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
  await link(data, "atlas");
  await data.close();
  await using server = await startServer(database, place.env);
  const headers = { authorization: `Bearer ${programToken}` };
  const form = new FormData();
  form.set("project", "atlas");
  form.set("file", new Blob(["hello there"]), "a.txt");
  const uploaded = await fetch(`${server.origin}/api/v1/assets`, { method: "POST", headers, body: form });
  const { url } = (await uploaded.json()) as Asset;
  expect(await (await fetch(must(url), { headers: { range: "bytes=6-99" } })).text()).toBe("there");
  const { value } = readExposition(await (await fetch(`${server.origin}/metrics`, { headers })).text());
  expect(value("svc_store_bytes_total", { store: "private", direction: "written" })).toBe(11);
  expect(value("svc_store_bytes_total", { store: "private", direction: "read" })).toBeGreaterThanOrEqual(5);
  expect(value("svc_http_request_bytes_total", { surface: "api" })).toBeGreaterThan(11);
  expect(value("svc_http_response_bytes_total", { surface: "bytes" })).toBe(5);
  expect(value("svc_operations_total", { operation: "uploadAsset", status: "201" })).toBe(1);
  expect(value("svc_worker_leads", { worker: "sweep of files" })).toBe(1);
  expect(await server.terminate()).toBe(0);
});

test("bytes read from and written to a store are counted once", async () => {
  await using place = await openPlace("disk");
  const metrics = openMetrics();
  const store = storeWithMetrics(place.store, "private", metrics);
  const key = "_probe/01ARZ3NDEKTSV4RRFFQ69G5FAV";
  const put = (text: string) =>
    store.put(key, new Blob([text]).stream(), { type: "text/plain", maxBytes: 99 });
  await put("hello there");
  expect(await put("something else")).toBe("exists");
  for (const range of [undefined, { start: 6, end: 99 }, { start: 20, end: 30 }])
    await must(await store.get(key, range)).body.cancel();
  expect(await store.get("_probe/01BX5ZZKBKACTAV9WEVGEMMVRZ")).toBeNull();
  const { value } = readExposition(metrics.text());
  expect(value("svc_store_bytes_total", { store: "private", direction: "written" })).toBe(11);
  expect(value("svc_store_bytes_total", { store: "private", direction: "read" })).toBe(11 + 5);
  expect(storeWithMetrics(null, "public", metrics)).toBeNull();
});

test("an unavailable store counts as an error, an invalid key does not", async () => {
  const metrics = openMetrics();
  const away = {
    stat: () => Promise.reject(unavailable("away")),
    delete: () => Promise.reject(new Error("a bug")),
  };
  // safe because: only these two are called
  const store = storeWithMetrics(away as unknown as Store, "private", metrics);
  await expect(store.stat("a")).rejects.toThrow("away");
  await expect(store.delete("a")).rejects.toThrow("a bug");
  const { value } = readExposition(metrics.text());
  expect(value("svc_store_errors_total", { store: "private", call: "stat" })).toBe(1);
  expect(value("svc_store_errors_total", { store: "private", call: "delete" })).toBe(1);
  expect(value("svc_store_errors_total", { store: "private", call: "get" })).toBe(0);
});
