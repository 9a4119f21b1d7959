/** The files that a run changed are those that its events name. */
import { describe, expect, test } from "bun:test";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { appendEvents } from "../../../src/feed/ingest/append-events.ts";
import type { EventInput } from "../../../src/feed/schema.ts";
import { getRun } from "../../../src/overview/runs/run-detail.ts";
import { dialects, link, openApp, type TestApp, testClock } from "../../support/harness.ts";

const append = ({ ctx }: TestApp, fields: Partial<EventInput>) =>
  appendEvents(
    ctx,
    {
      events: [
        {
          project: "atlas",
          run_id: "s1",
          actor: "agent:codex",
          summary: "Works",
          kind: "step.usage",
          ...fields,
        },
      ],
    },
    adminCaller,
  );
const filesOf = async ({ ctx }: TestApp) =>
  (await getRun(ctx, { id: "s1", project: "atlas" }, adminCaller)).files;

describe.each(dialects)("on %s, a run", (dialect) => {
  test("has the files that its events name, the newest first and at most 200, and hooks add no step", async () => {
    await using app = await openApp(dialect, {}, testClock("2026-03-01T14:02:30Z"));
    await link(app.ctx.data, "atlas");
    await append(app, { kind: "run.started", files: ["src/app.ts", "src/map.ts"] });
    app.clock.advance(60_000_000);
    const dedupe_key = "hook:codex:s1:edited:1772373810";
    await append(app, { files: ["README.md", "src/app.ts"], dedupe_key });
    const at = (text: string) => expect.stringContaining(text);
    expect(await filesOf(app)).toEqual([
      { path: "README.md", at: at("14:03:30") },
      { path: "src/app.ts", at: at("14:03:30") },
      { path: "src/map.ts", at: at("14:02:30") },
    ]);
    const run = await getRun(app.ctx, { id: "s1", project: "atlas" }, adminCaller);
    expect([run.steps, JSON.stringify(run.events).includes("map.ts")]).toEqual([0, false]);
    await append(app, { files: Array.from({ length: 199 }, (_, index) => `src/${index}.ts`) });
    await append(app, { tokens_in: 5 });
    const paths = (await filesOf(app)).map(({ path }) => path);
    expect([paths.length, paths.includes("README.md"), paths.includes("src/app.ts")]).toEqual([
      200,
      true,
      false,
    ]);
    const wrong = await app.ctx.data.findInconsistencies();
    expect(wrong.filter(({ kind }) => kind === "runs")).toEqual([]);
  });

  test("names no file outside of its repository", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    for (const path of [
      "/etc/passwd",
      "../other/a.ts",
      "src/../../a.ts",
      "C:/a.ts",
      "src\\a.ts",
      ".git/config",
    ])
      expect(append(app, { files: ["src/app.ts", path] })).rejects.toMatchObject({
        status: 400,
        detail: expect.stringContaining(`events[0].files: "${path}"`),
      });
  });
});
