/** The usage page: who sees what, its charts and tables, and the download. */
import { describe, expect, test } from "bun:test";
import { dayMicros, toMicros } from "../../src/core/lib/time.ts";
import { periodLabels, tickLabels, ticksUpTo } from "../../src/web/charts/axes.tsx";
import { formatCost, formatCount } from "../../src/web/format.ts";
import { page, signIn } from "../support/browser/site.ts";
import { event, link, openApp } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
/** The largest number of an issue. */
const largest = 2_147_483_647;

async function openUsage() {
  const app = await openApp("sqlite");
  for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
  const step = { kind: "step.usage", project: "atlas", actor: "agent:a", model: "m" } as const;
  await app.ctx.data.append([
    event({ ...step, cost_equiv: 6, issue: largest }),
    event({ ...step, cost_equiv: 2, project: "borealis", model: '<img src=x onerror="1">' }),
    event({ ...step, cost_equiv: 4, ts: noon - 30 * dayMicros }),
  ]);
  const open = async (path: string, projects: string[] | null = null) => {
    const { cookie } = await signIn(app, await app.mint(["feed:read"], { projects }));
    const response = await page(app, path, cookie);
    return { status: response.status, html: await response.text(), headers: response.headers };
  };
  return Object.assign(app, { open });
}

describe("the usage page", () => {
  test("shows the cost of the last 30 days by project, in a chart whose axes have names", async () => {
    await using usage = await openUsage();
    const { html } = await usage.open("/usage");
    expect(html).toContain('aria-label="Cost, 30 days: at most $8.00 per day, $8.00 in total.');
    expect(html).toContain("<span>$8</span><span>$6</span><span>$4</span><span>$2</span><span>$0</span>");
    for (const monday of ["2 Feb", "9 Feb", "16 Feb", "23 Feb"]) expect(html).toContain(`>${monday}</text>`);
    expect(html).toContain("<title>1 Mar 2026: atlas $6.00, borealis $2.00</title>");
    expect(html).toContain('<td class="share" data-label="Share">75%</td>');
    expect(html).toContain("Days are UTC days, and weeks start on Monday.");
  });

  test("groups by task, with a link to its page, and leads from a project to its tasks", async () => {
    await using usage = await openUsage();
    expect((await usage.open("/usage")).html).toContain('href="/usage?project=atlas&amp;by=task"');
    const { html } = await usage.open("/usage?project=atlas&by=task");
    expect(html).toContain(`<a href="/projects/atlas/issues/${largest}">atlas #${largest}</a>`);
    expect((await usage.open(`/projects/atlas/issues/${largest}`)).status).toBe(200);
    expect(html).not.toContain("borealis #");
  });

  test("compares with the days before at a click, and shows what changed", async () => {
    await using usage = await openUsage();
    const compare =
      "/usage?from=2026-01-31&amp;to=2026-03-01&amp;compare_from=2026-01-01&amp;compare_to=2026-01-30";
    expect((await usage.open("/usage")).html).toContain(`href="${compare}">Compare with the 30 days before`);
    const { html } = await usage.open(compare.replaceAll("&amp;", "&"));
    expect(html).toContain('title="$4.00 before">+100%</span>');
    expect(html).toContain("Before: 1 Jan 2026 to 30 Jan 2026");
    expect(html).toContain("Don&#39;t compare".replace("&#39;", "'"));
    expect(html).toContain("1 of 30 days there have data, 1 of 30 days here.");
    expect((await usage.open("/usage?by=run")).html).not.toContain("days before</a>");
  });

  test("gives no change in percent against a range that has far fewer days with data", async () => {
    await using usage = await openUsage();
    const step = { kind: "step.usage", project: "atlas", cost_equiv: 1 } as const;
    await usage.ctx.data.append([1, 2].map((days) => event({ ...step, ts: noon - days * dayMicros })));
    const { html } = await usage.open(
      "/usage?from=2026-01-31&to=2026-03-01&compare_from=2026-01-01&compare_to=2026-01-30",
    );
    expect(html).toContain("1 of 30 days there have data, 3 of 30 days here. That is too little for changes");
    expect(html).toContain('title="$4.00 before">$4.00 before</span>');
    expect(html).not.toMatch(/[+−][\d,]+%/);
  });

  test("leads from each bar with data to the runs of its days", async () => {
    await using usage = await openUsage();
    const bars = (html: string) =>
      [...html.matchAll(/<a href="([^"]*)" aria-label="[^"]*: /g)].map(([, to]) => to);
    const day = "/usage?by=run&amp;from=2026-03-01&amp;to=2026-03-01";
    expect(bars((await usage.open("/usage?by=task")).html)).toEqual([day]);
    const week = await usage.open("/usage?interval=week&from=2026-02-01&to=2026-03-01&project=atlas");
    expect(bars(week.html)[0]).toBe("/usage?from=2026-02-23&amp;to=2026-03-01&amp;project=atlas&amp;by=run");
    expect((await usage.open(day.replaceAll("&amp;", "&"))).status).toBe(200);
  });

  test("lists the most expensive runs and tasks, and what was spent on rejected versions", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const run = { project: "atlas", actor: "agent:codex", issue: 7, run_id: "run-9" };
    await library.ctx.data.append([
      event({ ...run, kind: "run.started" }),
      event({ ...run, kind: "run.finished", cost_equiv: 3, summary: "Drew the <map>" }),
      event({ kind: "step.usage", project: "atlas", cost_equiv: 9 }),
    ]);
    const { id } = (await library.upload({ project: "atlas", issue: "7", run_id: "run-9", title: "Map" }))
      .body;
    await library.review(id, { decision: "rejected", note: "Darker water." });
    const { cookie } = await signIn(library, await library.mint(["feed:read", "assets:read"]));
    const html = await (await page(library, "/usage", cookie)).text();
    for (const part of [
      '<a href="/runs/run-9?project=atlas">run-9</a><span class="soft run-summary">Drew the &lt;map></span>',
      '<a href="/projects/atlas/issues/7">atlas #7</a>',
      "<strong>$3.00</strong> in 1 run for 1 version that was rejected, 25% of the cost of these days.",
      `<a href="/assets/${id}">Map, version 1</a>`,
    ])
      expect([part, html.includes(part)]).toEqual([part, true]);
    const csvUrl = /href="(\/usage\/rejected\.csv[^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const csv = await (await page(library, csvUrl, cookie)).text();
    expect(csv).toStartWith("asset,title,version,project,issue,pr,rejected_at,runs,tokens_in,");
    expect(csv).toContain(`"${id}","Map",1,"atlas",7,,`);
    const byRun = await (await page(library, "/usage?by=run", cookie)).text();
    expect(byRun.includes("and 0 more, and work outside of runs")).toBe(false);
    expect(byRun.includes("work outside of runs")).toBe(true);
  });

  test("says what is wrong with a range, and keeps the form", async () => {
    await using usage = await openUsage();
    const { status, html } = await usage.open("/usage?from=2026-03-02&to=2026-03-01");
    expect(status).toBe(400);
    expect(html).toContain("must not be after to (2026-03-01). Swap them.");
    expect(html).toContain('name="from" value="2026-03-02"');
    for (const path of [
      "/usage?from=never",
      "/usage?from=2026-00-00&to=2026-03-01",
      "/usage?to=9999-99-99",
      "/usage?by=mood",
      "/usage?interval=hour",
    ])
      expect([path, (await usage.open(path)).status]).toEqual([path, 400]);
    expect((await usage.open("/usage?from=2001-01-01&to=2001-01-02")).html).toContain(
      "No usage in these days.",
    );
  });

  test("is limited to the projects of the token, and escapes what others wrote", async () => {
    await using usage = await openUsage();
    const limited = (await usage.open("/usage?by=model", ["atlas"])).html;
    expect(limited).toContain("$6.00");
    expect(limited).not.toMatch(/borealis|\$8\.00|&lt;img/);
    expect((await usage.open("/usage?project=borealis", ["atlas"])).status).toBe(404);
    const { html } = await usage.open("/usage?by=model");
    expect(html).toContain("&lt;img src=x");
    expect(html).not.toContain("<img src=x");
  });

  test("downloads its table as CSV, with the same range and groups", async () => {
    await using usage = await openUsage();
    const { html } = await usage.open("/usage?by=task");
    const path = /href="(\/usage\.csv[^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(path).toBe("/usage.csv?by=task&from=2026-01-31&to=2026-03-01&limit=200");
    const csv = await usage.open(path);
    expect(csv.headers.get("content-disposition")).toBe(
      'attachment; filename="usage-by-task-2026-01-31-2026-03-01.csv"',
    );
    expect(csv.html).toContain(`\r\n,"atlas",,,,${largest},,,,false,0,0,0,0,0,0,0,6,`);
    expect((await usage.open("/usage.csv?limit=many")).status).toBe(400);
  });
});

describe("an axis", () => {
  test("has round ticks, from 0 to the first above the values", () => {
    const ticks = (most: number, show = formatCost) => tickLabels(ticksUpTo(most), show);
    expect(ticks(6.8)).toEqual(["$0", "$2", "$4", "$6", "$8"]);
    expect(ticks(8)).toEqual(["$0", "$2", "$4", "$6", "$8"]);
    expect(ticks(0.3)).toEqual(["$0.00", "$0.10", "$0.20", "$0.30"]);
    expect(ticks(4700)).toEqual(["$0", "$1,000", "$2,000", "$3,000", "$4,000", "$5,000"]);
    expect(ticks(780_000, formatCount)).toEqual(["0", "200k", "400k", "600k", "800k"]);
    expect(ticks(1, formatCount)).toEqual(["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    for (let most = 0.001; most < 1e12; most *= 1.7) {
      const all = ticksUpTo(most);
      expect(all.at(-1)).toBeGreaterThanOrEqual(most);
      expect(all.length).toBeLessThanOrEqual(6);
    }
  });

  test("names few of its periods: each day of a week, Mondays of a month, months of a year", () => {
    const days = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10),
      );
    const names = (starts: string[], interval: "day" | "week" | "month") =>
      periodLabels(starts, interval).map(({ text }) => text);
    expect(names(days(3), "day")).toEqual(["1 Jan", "2 Jan", "3 Jan"]);
    expect(names(days(31), "day")).toEqual(["5 Jan", "12 Jan", "19 Jan", "26 Jan"]);
    expect(names(days(150), "day")).toEqual(["1 Jan", "1 Feb", "1 Mar", "1 Apr", "1 May"]);
    expect(names(["2025-12-01", "2026-01-01"], "month")).toEqual(["Dec 2025", "Jan 2026"]);
    for (const count of [1, 10, 11, 62, 63, 366]) {
      const labels = periodLabels(days(count), "day");
      expect(labels.length).toBeGreaterThan(0);
      expect(labels.length).toBeLessThanOrEqual(10);
    }
  });
});
