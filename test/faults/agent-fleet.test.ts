/**
 * Agents that start, report, wait for reviews and finish, and the webhooks of their runs, over a kill of the server:
 * `bun run bench agents` does the same with 10,000.
 */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import { generateSecret } from "../../src/integrations/webhooks/destination/sign.ts";
import { receiveWebhooks } from "../bench/agents/receipts.ts";
import { seedFleet } from "../bench/agents/seed.ts";
import { runOf, runSessions } from "../bench/agents/sessions.ts";
import { dialects, migratedDatabase, rowsOf, startServer } from "../support/harness.ts";
import { freePort } from "../support/servers/proxy.ts";

const [sessions, waits] = [100, 20];
const [rampMs, reportEveryMs, forMs] = [1_000, 500, 4_000];

describe.each(dialects)("on %s", (dialect) => {
  test(`${sessions} agents over a kill of the server: each event is in the feed once, and each webhook has its own`, async () => {
    await using database = await migratedDatabase(dialect);
    const secret = generateSecret();
    await using stack = new AsyncDisposableStack();
    const receipts = receiveWebhooks(secret, 0);
    stack.defer(() => receipts.stop());
    const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
    const size = { projects: 5, tokens: 5, assets: 60, receiver: receipts.origin, secret };
    const seeded = await seedFleet(data, size);
    await data.close();
    const port = await freePort();
    const serve = () => startServer(database, { SVC_WEBHOOK_ALLOW: "127.0.0.1" }, ["--port", String(port)]);
    const first = stack.use(await serve());
    const plan = {
      ...{ url: first.origin, sessions, ...seeded, waits, reviewsPerSecond: 10 },
      // On a busy machine, the last session finishes more than a minute late.
      ...{ rampMs, reportEveryMs, forMs, timeoutMs: 60_000, graceMs: 180_000 },
    };
    const running = runSessions(plan);
    await Bun.sleep(rampMs * 2);
    await first.kill();
    stack.use(await serve());
    const report = await running;
    const { acknowledged, times } = report;
    expect(await receipts.settle(plan, report)).toEqual({ missing: [], repeated: expect.any(Number) });
    const rows = await rowsOf(
      database.url,
      "select run_id, count(*) as count from events where run_id is not null group by run_id",
    );
    const found = Object.fromEntries(rows.map((row) => [row.run_id, Number(row.count)]));
    const wanted = acknowledged.map((session, index) => [runOf(index), session.report + 2]);
    expect(found).toEqual(Object.fromEntries(wanted));
    expect([times.start.length, times.brief.length, times.finish.length]).toEqual([
      sessions,
      sessions,
      sessions,
    ]);
    expect(times.wait.length).toBeGreaterThan(0);
  });
});

test("agents of a server that answers nothing end with their plan, without a session that finished", async () => {
  using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise<Response>(() => {}) });
  const { acknowledged, refused, times } = await runSessions({
    ...{ url: server.url.origin, sessions: 3, tokens: ["token"], projects: ["atlas"], assets: ["one"] },
    ...{
      waits: 1,
      reviewsPerSecond: 10,
      rampMs: 10,
      reportEveryMs: 10,
      forMs: 50,
      timeoutMs: 50,
      graceMs: 50,
    },
  });
  expect(acknowledged).toEqual(Array(3).fill({ start: 0, report: 0, finish: 0 }));
  expect(refused).toBeGreaterThan(0);
  expect(times.start.length).toBeGreaterThanOrEqual(3);
  await server.stop(true);
});
