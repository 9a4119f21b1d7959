/** Numbers on tiles lead to exactly their rows. */
import { describe, expect, test } from "bun:test";
import type { Appendable } from "../../src/feed/rows.ts";
import { page, signIn } from "../support/browser/site.ts";
import { event, link, openApp } from "../support/harness.ts";
import { runEvent } from "../support/memory/runs.ts";

async function openTiles() {
  const app = await openApp("sqlite");
  for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
  const ended = (run_id: string, of: Partial<Appendable> = {}) =>
    runEvent({ kind: "run.finished", run_id, ...of });
  await app.ctx.data.append([
    ended("one", { issue: 1 }),
    ended("two", { issue: 1, kind: "run.failed" }),
    ended("elsewhere", { project: "borealis" }),
    // Neither a pipeline nor what has no project counts.
    ended("github-actions/1/1", { actor: "runner:github-actions", kind: "run.failed" }),
    event({ kind: "run.failed", actor: "agent:codex" }),
    ...[1, 2, 3].map((issue) =>
      event({ kind: "issue.opened", project: "atlas", issue, summary: `Issue #${issue} opened: Task` }),
    ),
    event({ kind: "issue.closed", project: "atlas", issue: 3 }),
    ...[40, 41].map((pr) => event({ kind: "pr.merged", project: "atlas", pr, summary: `PR #${pr} merged` })),
  ]);
  const { cookie } = await signIn(app, await app.mint(["feed:read", "memory:read"]));
  const open = async (path: string) => {
    const response = await page(app, path.replaceAll("&amp;", "&"), cookie);
    return { status: response.status, html: await response.text() };
  };
  return Object.assign(app, { open });
}

/** The first number of each tile, and where it leads. */
const tilesOf = (html: string): Map<string, { value: string; href: string }> =>
  new Map(
    [...html.matchAll(/<dt>([^<]+)<\/dt><dd[^>]*>(?:<svg.*?<\/svg>)?\s*<a href="([^"]+)">(\d+)/g)].map(
      ([, name = "", href = "", value = ""]) => [name, { value, href }],
    ),
  );

const eventsIn = (html: string): number => html.split('<li class="event"').length - 1;
const rowsIn = (html: string): number => html.split('<th scope="row"').length - 1;

describe("the tiles", () => {
  test("of usage lead to the runs that ended, those that failed, and the pull requests merged", async () => {
    await using site = await openTiles();
    for (const [path, expected] of [
      ["/usage", { Runs: "3", Failed: "1", Merged: "2" }],
      ["/usage?project=atlas", { Runs: "2", Failed: "1", Merged: "2" }],
      ["/projects/atlas", { "Runs, 30 days": "2", Failed: "1", Merged: "2" }],
    ] as const) {
      const tiles = tilesOf((await site.open(path)).html);
      for (const [name, value] of Object.entries(expected)) {
        const tile = tiles.get(name);
        const { html } = await site.open(tile?.href ?? "");
        expect([path, name, tile?.value, eventsIn(html)]).toEqual([path, name, value, Number(value)]);
      }
    }
  });

  test("of a day lead to the events of that day alone", async () => {
    await using site = await openTiles();
    const eventsOn = async (day: string) =>
      eventsIn((await site.open(`/usage/events?of=merges&from=${day}&to=${day}`)).html);
    expect(await eventsOn("2026-03-01")).toBe(2);
    const { html } = await site.open("/usage/events?of=merges&from=2026-03-01&to=2026-03-01&project=atlas");
    expect(html).toContain("2 pull requests · project atlas · ");
    for (const day of ["2026-02-28", "2026-03-02"]) expect(await eventsOn(day)).toBe(0);
  });

  test("of open issues lead to these issues, with and without runs", async () => {
    await using site = await openTiles();
    const tile = tilesOf((await site.open("/projects/atlas")).html).get("Open issues");
    expect(tile?.value).toBe("2");
    expect(rowsIn((await site.open(tile?.href ?? "")).html)).toBe(2);
  });

  test("refuse what is no number of a tile, a wrong range and an unknown project", async () => {
    await using site = await openTiles();
    for (const [query, status] of [
      ["of=tokens", 400],
      ["of=merges&from=2026-03-02&to=2026-03-01", 400],
      ["of=merges&cursor=x", 400],
      ["project=nowhere", 404],
    ] as const)
      expect([query, (await site.open(`/usage/events?${query}`)).status]).toEqual([query, status]);
  });
});
