/** How long the audit log keeps a row. */
import { expect, test } from "bun:test";
import { retentions, trimRows } from "../../../src/api/retention.ts";
import { dayMicros } from "../../../src/core/lib/time.ts";
import { openApp } from "../../support/harness.ts";

test("a row of the audit log is kept for 400 days", async () => {
  await using app = await openApp("sqlite");
  const { ctx, clock } = app;
  const row = {
    ...{ who: "ana", via: "cli" as const, what: "token create", project: null, target: "x", status: 200 },
    ...{ address: null, request: null },
  };
  const [kept, old] = [399, 401].map((days) => clock.now() - days * dayMicros);
  await ctx.data.atomically(async (writes) => {
    for (const at of [kept, old]) await writes.addAudit({ ...row, at: at as number });
  });
  expect(await trimRows(ctx, retentions["sweep of the audit"])).toBe(1);
  const left = await ctx.data.audit({ limit: 10 });
  expect(left.map(({ at }) => at)).toEqual([kept as number]);
});
