/**
 * When the main pages first show content, in a browser without a cache: svc, against a static server of the
 * very responses that svc gave. Standard error gets each page.
 */
import type { Browser, Page, Request } from "playwright-core";
import { browserPath, launchBrowser } from "../../support/browser/browser.ts";
import { type Cookie, openSession } from "../../support/test-server.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "../measuring/measure.ts";
import { servePlain, serveSvc, token } from "../measuring/svc.ts";
import { resultOf } from "../measuring/targets.ts";
import { copyDeployment, pendingAsset, slugOf, usualSize } from "./deployment.ts";

const rounds = 5;
const paths = [
  "/",
  "/feed",
  "/tasks",
  "/assets",
  `/assets/${pendingAsset}`,
  `/projects/${slugOf(0)}`,
  "/memory",
];

export async function measureFirstPaint(place: Place, svc: string): Promise<Result[]> {
  if (!browserPath) throw new Error("The first paint needs a browser: set SVC_TEST_BROWSER to its path");
  await copyDeployment(place.path("first-paint/svc.db"), usualSize);
  const site = await serveSvc(place, svc, "first-paint");
  const cookies = await openSession(site, token);
  await using browser = await launchBrowser();
  const files = place.path("recorded.json");
  await Bun.write(files, JSON.stringify(await record(browser, site, cookies)));
  const copy = await servePlain(place, "recorded", files);
  const times = [];
  for (const path of paths) {
    const { ours, theirs } = await inRounds(rounds, {
      ours: () => firstPaint(browser, site + path, cookies),
      theirs: () => firstPaint(browser, copy + path, []),
    });
    times.push({ path, ours: median(ours), theirs: median(theirs), ratio: ratioOf(ours, theirs) });
  }
  for (const { path, ours, theirs } of times)
    process.stderr.write(`${ours.toFixed(0)} ms, ${theirs.toFixed(0)} ms static: ${path}\n`);
  const [slowest] = times.toSorted((a, b) => b.ratio - a.ratio);
  const { path, ours, theirs, ratio } = slowest as (typeof times)[number]; // safe because: there are pages
  const measure = "first paint of the slowest main page, against the same files from a static server";
  return [resultOf(measure, `${ours.toFixed(0)} ms, ${path}`, `${theirs.toFixed(0)} ms`, ratio, ours)];
}

/** Opens a page in a context of its own. */
async function visit<T>(
  browser: Browser,
  cookies: readonly Cookie[],
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext();
  try {
    await context.addCookies([...cookies]);
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** Milliseconds from the navigation to the first contentful paint. */
const firstPaint = (browser: Browser, url: string, cookies: readonly Cookie[]): Promise<number> =>
  visit(browser, cookies, async (page) => {
    await page.goto(url, { waitUntil: "commit" });
    return page.evaluate(
      () =>
        new Promise<number>((resolve) =>
          new PerformanceObserver((list) => {
            const [paint] = list.getEntriesByName("first-contentful-paint");
            if (paint) resolve(paint.startTime);
          }).observe({ type: "paint", buffered: true }),
        ),
    );
  });

/** What the site answers to the pages and to what they load, by path; the browser has unpacked it. */
async function record(browser: Browser, site: string, cookies: readonly Cookie[]) {
  const recorded: Record<string, { status: number; headers: Record<string, string>; body: string }> = {};
  for (const path of paths)
    await visit(browser, cookies, async (page) => {
      const loaded: Promise<void>[] = [];
      const add = async (request: Request) => {
        const response = await request.response();
        if (response === null || !response.url().startsWith(site)) return;
        const { "content-encoding": _, "content-length": __, ...headers } = response.headers();
        const body = (await response.body()).toString("base64");
        recorded[response.url().slice(site.length)] = { status: response.status(), headers, body };
      };
      const note = (request: Request) => void loaded.push(add(request));
      page.on("requestfinished", note);
      await page.goto(site + path, { waitUntil: "load" });
      page.off("requestfinished", note); // what comes later ends with the page
      await Promise.all(loaded);
    });
  return recorded;
}
