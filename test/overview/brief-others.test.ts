/** The brief names who else works on its task or branch. */
import { describe, expect, test } from "bun:test";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { minuteMicros } from "../../src/core/lib/time.ts";
import { appendEvents } from "../../src/feed/ingest/append-events.ts";
import type { EventInput } from "../../src/feed/schema.ts";
import { brief } from "../../src/overview/brief/brief.ts";
import { dialects, link, openApp, type TestApp, testClock } from "../support/harness.ts";
import { sectionOf } from "../support/memory/brief.ts";

const title = "Also at work now";
const report = ({ ctx }: TestApp, fields: Partial<EventInput>) => {
  const sent = { project: "atlas", actor: "agent:codex", summary: "MARKER", kind: "run.started" } as const;
  return appendEvents(ctx, { events: [{ ...sent, ...fields }] }, adminCaller);
};

const linesOf = async ({ ctx }: TestApp, query: object): Promise<string[]> => {
  const tagged = (await brief(ctx, { project: "atlas", ...query }, adminCaller)).text;
  const text = tagged.replace(/<\/?data-[^>]*>/g, "");
  return text.includes(title) ? (sectionOf(text, title).match(/^- .*$/gm) ?? []) : [];
};

describe.each(dialects)("on %s, a brief", (dialect) => {
  test("names running runs of others on its issue or branch, and not its own or what it started", async () => {
    await using app = await openApp(dialect, {}, testClock("2026-03-01T14:02:30Z"));
    await link(app.ctx.data, "atlas");
    await link(app.ctx.data, "beacon");
    await report(app, { run_id: "s1", issue: 12, branch: "fix/12-map" });
    await report(app, { run_id: "s1/sub", parent_run_id: "s1", branch: "fix/12-map" });
    await report(app, { run_id: "s2", issue: 12, actor: "agent:claude-code" });
    await report(app, { run_id: "other issue", issue: 13 });
    await report(app, { run_id: "elsewhere", issue: 12, project: "beacon" });
    await report(app, { run_id: "over", issue: 12 });
    await report(app, { run_id: "over", issue: 12, kind: "run.finished" });
    const others = (query: object) => linesOf(app, query);
    const codex = "- agent:codex works on issue 12, branch fix/12-map since 2026-03-01 14:02 UTC (run s1)";
    const claude = "- agent:claude-code works on issue 12 since 2026-03-01 14:02 UTC (run s2)";
    expect(await others({ issue: 12 })).toEqual([claude, codex]);
    expect(await others({ intent: "Draw the map, #12", run_id: "s2" })).toEqual([codex]);
    expect(await others({ branch: "fix/12-map", run_id: "cache:1", own_run: "s2" })).toEqual([codex]);
    expect(await others({ branch: "fix/12-map", run_id: "s1" })).toEqual([]);
    expect(await others({})).toEqual([]);

    const ask = { kind: "step.usage", run_id: "s1", dedupe_key: "hook:codex:s1:waiting:1" } as const;
    await report(app, { ...ask, ts: "2026-03-01T14:03:00Z" });
    expect(await others({ issue: 12 })).toEqual([`${codex}; it asks for permission or input`, claude]);
    app.clock.advance(31 * minuteMicros); // s2 is lost
    expect(await others({ issue: 12 })).toEqual([`${codex}; it asks for permission or input`]);
    const { text } = await brief(app.ctx, { project: "atlas", issue: 12 }, adminCaller);
    expect(text).not.toContain("MARKER");
  });

  test("names the files of others, and who changed a file that its run, its task, or its reader changed", async () => {
    await using app = await openApp(dialect, {}, testClock("2026-03-01T14:02:30Z"));
    await link(app.ctx.data, "atlas");
    const files = ["src/app.ts", "src/map.ts", "src/a.ts", "src/b.ts"];
    await report(app, { run_id: "s1", issue: 12, files });
    await report(app, { run_id: "s2", branch: "menu", actor: "agent:claude-code", files: ["src/menu.ts"] });
    const others = (query: object) => linesOf(app, query);
    const codex = (touched: string) =>
      `- agent:codex works on issue 12 since 2026-03-01 14:02 UTC (run s1), touched ${touched}`;
    const claude =
      "- agent:claude-code works on branch menu since 2026-03-01 14:02 UTC (run s2), touched src/menu.ts";
    expect(await others({ issue: 12 })).toEqual([codex("src/a.ts, src/app.ts, src/b.ts and 1 more")]);
    expect(await others({ files: ["src/map.ts"] })).toEqual([
      codex("src/map.ts, src/a.ts, src/app.ts and 1 more"),
    ]);
    expect(await others({ files: ["src/other.ts"] })).toEqual([]);
    await report(app, { run_id: "own", kind: "step.usage", files: ["src/menu.ts"] });
    expect(await others({ run_id: "cache:1", own_run: "own" })).toEqual([claude]);
    await report(app, { run_id: "over", issue: 13, files: ["src/b.ts"] });
    await report(app, { run_id: "over", issue: 13, kind: "run.finished" });
    expect(await others({ issue: 13 })).toEqual([codex("src/b.ts, src/a.ts, src/app.ts and 1 more")]);
  });
});
