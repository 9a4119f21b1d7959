/** svc today: what it prints, and that it starts where something was marked as read. */
import { expect, test } from "bun:test";
import type { Today } from "../../src/overview/today/schema.ts";
import { event, link, openApp, program } from "../support/harness.ts";

test("svc today prints each section that has something, and starts after what was marked as read", async () => {
  await using app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  const env = { SVC_DATABASE_URL: app.url };
  const ts = Date.now() * 1_000;
  const fail = (summary: string, offset: number) =>
    app.ctx.data.append([
      event({ project: "atlas", kind: "run.failed", issue: 7, summary, ts: ts + offset }),
    ]);
  await fail("No berths", 1);
  const first = await program(["today", "--mark-read"], env);
  expect(first.output).toMatch(
    /^Since .* UTC\n\nNeeds you \(1\)\n\nBroken, and no one is on it \(1\)\n {2}PROJECT .*\n {2}atlas .* No berths\n\nSpend: \$/,
  );
  await fail("No tides", 2);
  const second = await program(["today", "--json"], env);
  expect((JSON.parse(second.output) as Today).failures.events.map(({ summary }) => summary)).toEqual([
    "No tides",
  ]);
});
