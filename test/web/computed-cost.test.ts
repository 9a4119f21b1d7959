/** A cost that svc computed is marked where events are listed, in the browser and in the terminal. */
import { expect, test } from "bun:test";
import { feedLine } from "../../cli/commands/feed/feed-line.ts";
import type { Event } from "../../src/feed/schema.ts";
import { event, link, must, openApp } from "../support/harness.ts";

test("a computed cost has a tilde, and a reported one has none", async () => {
  await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1" });
  const { data } = app.ctx;
  await link(data, "atlas");
  const step = { kind: "step.usage" as const, project: "atlas", cost_equiv: 0.42 };
  await data.append([
    event({ ...step, summary: "Computed", cost_source: "computed" }),
    event({ ...step, summary: "Reported" }),
  ]);
  const page = await (await app.ask("/feed?view=events", { headers: { accept: "text/html" } })).text();
  expect([...page.matchAll(/class="facts">([^<]*)</g)].map(([, facts]) => facts)).toEqual([
    "$0.42",
    "~$0.42",
  ]);
  const rows = await data.feed(null, { kind: "step.usage", limit: 2 });
  const lines = rows.map(({ wire }) =>
    feedLine(JSON.parse(wire) as Event, { width: 120, time: "relative", nowMs: Date.now }),
  );
  expect(must(lines[0])).not.toContain("~$");
  expect(Bun.stripANSI(must(lines[1]))).toEndWith("~$0.42");
});
