/** One list and one count of what needs a person, wherever it is shown. */
import { expect, test } from "bun:test";
import { inboxTable } from "../../../cli/commands/feed/inbox.ts";
import { todayText } from "../../../cli/commands/feed/today.ts";
import { drawTop } from "../../../cli/top/screen.ts";
import { loadTop } from "../../../cli/top/state.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { dayMicros, fromMicros, minuteMicros, secondMicros } from "../../../src/core/lib/time.ts";
import { loadContent } from "../../../src/integrations/email/content.ts";
import { callerOfOwner } from "../../../src/integrations/email/deliver.ts";
import { subjectOf, textBody } from "../../../src/integrations/email/words.ts";
import type { Inbox } from "../../../src/overview/inbox/schema.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { page, signIn } from "../../support/browser/site.ts";
import { dialects, event, must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { briefOf, sectionOf } from "../../support/memory/brief.ts";

/** Two assets asked of ana, two that she can review, and what failed: equal, repaired, retried, and lost. */
async function plantNeeds(library: Library): Promise<void> {
  const { clock, ctx, plant } = library;
  const append = (kind: "run.started" | "run.finished" | "run.failed" | "preview.failed", fields: object) => {
    clock.advance(secondMicros);
    return ctx.data.append([event({ project: "atlas", kind, ...fields })]);
  };
  const ask = async (title: string, reviewers: string[], due_at?: string) => {
    const { id } = await plant({ title });
    const { status } = await library.say(`/assets/${id}/review-requests`, { json: { reviewers, due_at } });
    expect(status).toBe(200);
  };
  await append("run.started", { issue: 5, run_id: "silent", summary: "Chart the reef" });
  clock.advance(ctx.config.runTimeoutSeconds * secondMicros);
  await ask("Not urgent", ["ana"]);
  await ask("Urgent", ["ana"], fromMicros(clock.now() + 10 * minuteMicros));
  await ask("Of another", ["lee"]);
  await plant({ title: "Tides" });
  clock.advance(secondMicros);
  for (const title of ["a", "b"]) await plant({ title, set: "hero" });
  for (const [issue, run] of [
    [1, 71],
    [2, 72],
  ])
    await append("run.failed", { issue, run_id: `r${run}`, summary: `Run ${run}: no space left on disk` });
  await append("run.failed", { issue: 3, run_id: "first", summary: "Repaired" });
  await append("run.finished", { issue: 3, run_id: "second", summary: "Done" });
  await append("run.failed", { issue: 4, run_id: "third", summary: "Someone is on it" });
  await append("run.started", { issue: 4, run_id: "fourth", summary: "Trying again" });
  await append("preview.failed", { pr: 6, summary: "Preview of #6 failed" });
}

const listed = [
  "Urgent",
  "Not urgent",
  "hero",
  "Tides",
  "Preview of #6 failed",
  "Run 72: no space left on disk",
  "Chart the reef",
];

test.each(dialects)("on %s, every surface has the same list and count", async (dialect) => {
  await using library = await openLibrary(dialect, "disk");
  const { ctx, clock } = library;
  const token = await library.mint(allScopes, { name: "ana" });
  await library.mint(allScopes, { name: "lee" });
  await plantNeeds(library);
  const get = async <T>(path: string): Promise<T> => (await library.say<T>(path, { token })).body;
  const inbox = await get<Inbox>("/inbox");
  const titlesOf = ({ items }: Inbox) => items.map(({ title }) => title);
  expect(titlesOf(inbox)).toEqual(listed);
  expect(inbox).toMatchObject({
    count: 7,
    counts: { requested: 2, waiting: 2, broken: 3, answered: 0 },
    repaired: 1,
  });
  expect(inbox.items.map(({ times }) => times)).toEqual([1, 1, 1, 1, 1, 2, 1]);

  const today = await get<Today>("/today");
  expect(today.needs).toEqual(inbox);
  expect(todayText(today as Parameters<typeof todayText>[0], 0)).toContain("Needs you (7)");
  const printed = inboxTable(inbox as Parameters<typeof inboxTable>[0]);
  expect(
    printed
      .split("\n")
      .slice(1)
      .map((row) => listed.find((title) => row.endsWith(title))),
  ).toEqual(listed);

  const api = {
    GET: async (path: string, { params = {} as { query?: object } } = {}) => {
      const query = new URLSearchParams(Object.entries(params.query ?? {}));
      return { data: await get(`${path}?${query}`), response: new Response() };
    },
  };
  const top = await loadTop({ api } as never, clock.now() / 1_000);
  expect(top.needs).toEqual(inbox);
  const options = { width: 120, height: 60, nowMs: 0, place: "here", problem: null, isColored: false };
  const screen = drawTop(top, { ...options, view: "all" }).join("\n");
  expect(screen).toContain("7 need you");
  const at = (text: string, title: string) => text.indexOf(title);
  const isInOrder = (text: string) =>
    listed.every((title, n) => at(text, title) > (n === 0 ? -1 : at(text, must(listed[n - 1]))));
  expect(isInOrder(screen.slice(screen.indexOf("Asked of you")))).toBe(true);

  const now = clock.now();
  const owner = must(await callerOfOwner(ctx, "ana"));
  const period = { project: null, period: "daily", from: now - dayMicros, to: now } as const;
  const content = await loadContent(ctx, owner, period);
  expect(content.needs).toEqual(inbox);
  expect(subjectOf("daily", content)).toContain("7 need you");
  expect(isInOrder(textBody({ content, siteUrl: "http://svc.test", unsubscribe: "", now }))).toBe(true);

  const { cookie } = await signIn(library, token);
  for (const [path, name] of [
    ["/", "Today"],
    ["/docs", null],
  ] as const) {
    const html = await (await page(library, path, cookie)).text();
    expect([path, /id="inbox-count"[^>]*data-count="(\d+)"/.exec(html)?.[1]]).toEqual([path, "7"]);
    if (name === null) continue;
    expect(/<title>(.*?)<\/title>/.exec(html)?.[1]).toBe(`(7) ${name} · svc`);
    const titles = [...html.matchAll(/data-item[^>]*>(?:<bdi>)?([^<]*)/g)].map(([, title]) => title);
    expect([path, titles.slice(0, 7)]).toEqual([path, listed]);
  }

  const brief = (await briefOf(ctx)).text;
  expect(sectionOf(brief, "Recent failures")).not.toContain("Repaired");
  for (const title of ["Urgent", "Tides", "hero"]) expect(sectionOf(brief, "Open reviews")).toContain(title);

  const reader = await library.mint(["feed:read", "assets:read"], { name: "reader" });
  const counts = (await library.say<Inbox>("/inbox", { token: reader })).body.counts;
  expect(counts).toEqual({ agents: 0, requested: 0, waiting: 0, broken: 3, answered: 0 }); // cannot review
});
