/** Many assets are reviewed on one page, in a fraction of the time of one after the other. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { AssetList } from "../../src/library/assets/schema.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, scaled, until } from "../support/harness.ts";
import { type Place, planScreens, uploadScreens } from "../support/review/hundred.ts";

const desk = useReviewDesk();
const size = scaled(20, 100);
/** A person takes so long for a key and for a look, in seconds. */
const [keyTime, lookTime] = [0.8, 4];
/** A hundred in ten minutes. */
const secondsEach = 6;
const decisionsMax = 25;

const areaOf = ({ w, h }: Place): number => Math.max(0, w) * Math.max(0, h);

function sharedBy(one: Place, other: Place): Place {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const [right, bottom] = [
    Math.min(one.x + one.w, other.x + other.w),
    Math.min(one.y + one.h, other.y + other.h),
  ];
  return { x, y, w: right - x, h: bottom - y };
}

/** Whether an outline leads to a place: it covers some of it, and is not around something far larger. */
const leadsTo = (outlines: readonly Place[], place: Place): boolean =>
  outlines.some(
    (outline) =>
      areaOf(sharedBy(outline, place)) > 0.1 * areaOf(place) && areaOf(outline) < 4 * areaOf(place),
  );

/** The outlines in the larger view, once it shows this asset, in pixels of its image. */
async function outlinesOf(page: Page, id: string): Promise<Place[]> {
  await page.locator(`#look[data-shown="${id}"]`).waitFor();
  const lines = await page.locator("#look figure:last-child path:not(.halo)").getAttribute("d");
  return [...(lines ?? "").matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g)].map((found) => {
    const [x, y, w, h] = found.slice(1).map(Number) as [number, number, number, number];
    return { x, y, w, h };
  });
}

const tilesIn = (page: Page, group: string) =>
  page.locator(`${group} li:not([hidden]) [data-look]`).evaluateAll((found) =>
    found.map((link) => ({
      id: (link as HTMLElement).dataset.look ?? "",
      title: link.querySelector(".tile-title")?.textContent ?? "",
    })),
  );

/**
 * Reviews the page by keys as a person does, who looks at each tile that is not folded, and sees that one is
 * broken if an outline leads to what is broken. @param placeOf what is broken; null if nothing is
 */
async function reviewByKeys(page: Page, placeOf: (title: string) => Place | null) {
  const spent = { keys: 0, looks: 0, decisions: 0 };
  const press = async (...keys: string[]) => {
    spent.keys += keys.length;
    for (const key of keys) await page.keyboard.press(key);
  };
  const decide = async (...keys: string[]) => {
    spent.decisions++;
    await press(...keys);
  };
  const looked = new Set<string>();
  const unseen = async () => (await tilesIn(page, ".current")).filter(({ id }) => !looked.has(id));
  await press("j"); // what is unchanged
  spent.looks++;
  await decide("a");
  for (let tiles = await unseen(); tiles.length > 0; tiles = await unseen()) {
    const wrong = new Set<string>();
    for (const [at, { id, title }] of tiles.entries()) {
      if (at > 0) await press("ArrowRight");
      const outlines = await outlinesOf(page, id);
      spent.looks++;
      looked.add(id);
      const place = placeOf(title);
      if (!place || !leadsTo(outlines, place)) continue;
      await press("x");
      wrong.add(id);
    }
    if (wrong.size < tiles.length) await decide("a");
    if (wrong.size > 0) await press("j");
  }
  await decide("r", ..."Broken where outlined", "Enter");
  return { ...spent, seconds: spent.keys * keyTime + spent.looks * lookTime };
}

describe.skipIf(!browserPath)("a review of many assets", () => {
  const titlesOf = async (status: string) => {
    const { assets } = await desk.testServer.api<AssetList>(
      "GET",
      `/assets?project=atlas&status=${status}&limit=200`,
    );
    return assets.map(({ title }) => title).toSorted();
  };

  test(`takes ten minutes for a hundred, and none of those broken on 1 % of the area is folded away`, async () => {
    const screens = planScreens(size);
    const screenOf = new Map(screens.map((screen) => [screen.title, screen]));
    const broken = screens.filter(({ fault }) => fault).map(({ title }) => title);
    const unchanged = screens.filter(({ change, fault }) => !change && !fault).map(({ title }) => title);
    await uploadScreens(desk.testServer, desk.browser, screens);
    await using visitor = await desk.enter({ viewport: { width: 1440, height: 900 } });
    const { page } = visitor;
    const isCompared = async () => {
      await page.goto("/review?project=atlas&only=same");
      const tiles = await tilesIn(page, "[data-group=same]");
      return tiles.length === unchanged.length && tiles.every(({ title }) => unchanged.includes(title));
    };
    await until(isCompared, "all are compared", 120_000);
    await page.goto("/review?project=atlas");
    expect(await page.locator("[data-group=waiting]").count()).toBe(0);

    const spent = await reviewByKeys(page, (title) => must(screenOf.get(title)).place);
    process.stderr.write(`${size} assets at a person's pace: ${JSON.stringify(spent)}\n`);
    expect(spent.seconds).toBeLessThanOrEqual(secondsEach * size);
    expect(spent.decisions).toBeLessThanOrEqual(decisionsMax);
    await until(async () => (await titlesOf("pending")).length === 0, "all reviews are sent");
    expect(await titlesOf("rejected")).toEqual(broken);
    expect(visitor.faults).toEqual([]);
  }, 600_000);
});
