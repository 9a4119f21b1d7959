/** Liveness and readiness checks. */
import { expect, test } from "bun:test";
import { unavailable } from "../../../src/core/problem.ts";
import type { Store } from "../../../src/files/stores/store.ts";
import { openApp, type TestApp, until } from "../../support/harness.ts";
import { openRawConnection } from "../../support/http/raw-http.ts";
import { openLibrary } from "../../support/library.ts";

const health = async ({ ask }: Pick<TestApp, "ask">) => {
  const [live, ready] = [await ask("/healthz"), await ask("/readyz")];
  for (const { headers } of [live, ready]) expect(headers.get("cache-control")).toBe("no-store");
  return [live.status, ready.status, ready.headers.get("retry-after")];
};

test("a process with a database and a store is ready", async () => {
  await using library = await openLibrary("sqlite", "bucket");
  expect(await health(library)).toEqual([200, 200, null]);
});

test("a process without a store is ready", async () => {
  await using app = await openApp("sqlite");
  expect(await health(app)).toEqual([200, 200, null]);
});

test("a process whose database is unavailable is alive but not ready", async () => {
  await using app = await openApp("sqlite");
  app.ctx.data.head = () => Promise.reject(unavailable("no database"));
  expect(await health(app)).toEqual([200, 503, "2"]);
  expect(await (await app.ask("/readyz")).json()).toMatchObject({ status: 503, instance: "/readyz" });
});

test("a process whose store is unavailable is not ready", async () => {
  const away = { stat: () => Promise.reject(unavailable("no store")) };
  // safe because: nothing else is called
  await using app = await openApp("sqlite", {}, undefined, { store: away as unknown as Store });
  expect(await health(app)).toEqual([200, 503, "2"]);
});

test("a request without a Host, or with an empty one, is answered", async () => {
  await using app = await openApp("sqlite");
  const origin = app.listen();
  for (const path of ["/healthz", "/readyz"])
    for (const line of [`GET ${path} HTTP/1.0`, `HEAD ${path} HTTP/1.0`, `GET ${path} HTTP/1.1\r\nHost:`]) {
      const connection = openRawConnection(origin);
      await connection.send(`${line}\r\n\r\n`);
      await until(() => connection.received() !== "", "an answer");
      expect([line, connection.received()]).toEqual([line, expect.stringMatching(/^HTTP\/1\.[01] 200 /)]);
      connection.close();
    }
});
