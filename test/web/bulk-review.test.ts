/** Many assets are reviewed on one page, in a fraction of the time of one after the other. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { AssetList } from "../../src/library/assets/schema.ts";
import { boxesPng, noisyPng } from "../support/assets/media.ts";
import { openAxeSession, violationsOf } from "../support/browser/axe.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, scaled, until } from "../support/harness.ts";
import { type Place, planScreens, uploadScreens } from "../support/review/hundred.ts";

const desk = useReviewDesk();
const size = scaled(10, 100);
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
  await page.locator(`#preview[data-shown="${id}"]`).waitFor();
  const lines = await page.locator("#preview figure:last-child path:not(.halo)").getAttribute("d");
  return [...(lines ?? "").matchAll(/M(\d+) (\d+)h(\d+)v(\d+)/g)].map((found) => {
    const [x, y, w, h] = found.slice(1).map(Number) as [number, number, number, number];
    return { x, y, w, h };
  });
}

const tilesIn = (page: Page, group: string) =>
  page.locator(`${group} li:not([hidden]) [data-preview]`).evaluateAll((found) =>
    found.map((link) => ({
      id: (link as HTMLElement).dataset.preview ?? "",
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

/** Every element counts as one that was not checked before. */
const all = (keys: string[]) => keys;

const page200 = (...boxes: [number, number, number, number][]) =>
  boxesPng(200, 120, [[0, 0, 200, 10], ...boxes]);

/** Versions of approved images in a set of their own: two are unchanged, two changed alike, one otherwise. */
async function uploadVersions(set: string): Promise<Record<string, string>> {
  const { upload, api } = desk.testServer;
  const versions = {
    "same 1": page200(),
    "same 2": page200(),
    "alike 1": page200([20, 40, 30, 20]),
    "alike 2": page200([20, 40, 30, 20]),
    other: page200([150, 40, 30, 60]),
  };
  const ids: Record<string, string> = {};
  for (const [title, bytes] of Object.entries(versions)) {
    const { id } = await upload(`${title}.png`, page200(), { title, set });
    await api("PUT", `/assets/${id}/review`, { decision: "approved" });
    ids[title] = (await upload(`${title}.png`, bytes, { title, set, replaces: id })).id;
  }
  return ids;
}

const statusesOf = async (ids: Record<string, string>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(ids).map(async ([title, id]) => [title, await desk.statusOf(id)])),
  );

/** Opens the page once all of the set are compared. */
async function openCompared(page: Page, set: string): Promise<void> {
  await until(async () => {
    await page.goto(`/review?project=atlas&set=${set}`);
    const groups = await page.locator(".bulk-group h2").allTextContents();
    return groups.length > 0 && groups.every((title) => !title.includes("being compared"));
  }, "all are compared");
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

  test("works without scripts: groups leave out what is picked, and one note rejects the rest", async () => {
    const ids = await uploadVersions("plain");
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await openCompared(page, "plain");
    expect(await page.locator(".bulk-group h2").allTextContents()).toEqual([
      "2 unchanged",
      "2 with the same change",
      "1 with another change",
    ]);
    await page.getByRole("region", { name: "2 unchanged" }).getByRole("button", { name: "Approve" }).click();
    await page.getByText("2 approved.").waitFor();
    await page.getByLabel("Select alike 2").check();
    await page
      .getByRole("region", { name: "2 with the same change" })
      .getByRole("button", { name: "Approve" })
      .click();
    await page.getByText("1 approved.").waitFor();
    await page.getByLabel("Select alike 2").check();
    await page.getByLabel("Select other").check();
    await page.getByRole("button", { name: "Reject selected" }).click();
    await page.getByRole("alert").getByText("Add a note explaining what to change.").waitFor();
    expect(await page.getByLabel("Select other").isChecked()).toBe(true);
    await page.getByLabel("Note").fill("The box is gone.");
    await page.getByRole("button", { name: "Reject selected" }).click();
    await page.getByText("2 rejected.").waitFor();
    expect(await statusesOf(ids)).toEqual({
      "same 1": "approved",
      "same 2": "approved",
      "alike 1": "approved",
      "alike 2": "rejected",
      other: "rejected",
    });
    expect((await desk.assetOf(ids.other as string)).review_note).toBe("The box is gone.");
  });

  test("is undone as a whole, and approves of changes that are not like others only what was looked at", async () => {
    const ids = await uploadVersions("undone");
    const { server, token } = desk.testServer;
    await using visitor = await openAxeSession(desk.browser, server.origin, token);
    const { page } = visitor;
    await openCompared(page, "undone");
    expect(await violationsOf(page, { light: all, dark: all, newElements: all, around: all })).toEqual([]);
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await page.getByText("3 left").waitFor();
    await page.keyboard.press("u");
    await page.getByText("2 reviews undone.").waitFor();
    expect(await page.locator("[data-group=same]").isVisible()).toBe(true);
    expect(await statusesOf(ids)).toEqual(
      Object.fromEntries(Object.keys(ids).map((title) => [title, "pending"])),
    );
    const other = page.locator("[data-group=different]");
    expect(await other.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.locator(`#preview[data-shown="${ids.other}"]`).waitFor();
    await other.getByRole("button", { name: "Approve 1 seen" }).click();
    await page.getByText("other: approved.").waitFor();
    await page.goto("/assets");
    await until(async () => (await desk.statusOf(ids.other as string)) === "approved", "it is sent");
    expect(visitor.faults).toEqual([]);
  });

  test("is done by touch: a tile is shown large, and picked there", async () => {
    const ids = await uploadVersions("touched");
    await using visitor = await desk.enter({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    const { page } = visitor;
    await openCompared(page, "touched");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.locator(`[data-preview="${ids["alike 1"]}"]`).tap();
    const preview = page.locator("#preview");
    await preview.getByText("alike 1").waitFor();
    await preview.getByRole("button", { name: "Next" }).tap();
    await preview.getByText("alike 2").waitFor();
    await preview.getByRole("button", { name: "Select" }).tap();
    await preview.getByRole("button", { name: "Close" }).tap();
    await page.getByText("1 selected").first().waitFor();
    await page.getByLabel("Note").fill("Not this one.");
    await page.getByRole("button", { name: "Reject 1 selected" }).tap();
    await page.getByText("alike 2: rejected.").waitFor();
    await page.goto("/assets");
    await until(async () => (await desk.statusOf(ids["alike 2"] as string)) === "rejected", "it is sent");
    expect(await desk.statusOf(ids["alike 1"] as string)).toBe("pending");
    expect(visitor.faults).toEqual([]);
  });

  test("calls a version that replaces a rejected one by its number, with the verdict and who gave it", async () => {
    const { testServer } = desk;
    const fields = { issue: "90" };
    await testServer.upload("first.png", noisyPng(300, 200), fields);
    const old = await testServer.upload("second.png", noisyPng(310, 200), fields);
    await testServer.api("PUT", `/assets/${old.id}/review`, { decision: "rejected", note: "Too dim." });
    const next = await testServer.upload("second.png", noisyPng(320, 200), { ...fields, replaces: old.id });
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/review?issue=90");
    const said = (title: string) => page.locator("li", { hasText: title }).locator("p.soft > span").first();
    expect(await said("first.png").textContent()).toBe("New");
    expect(await said("second.png").textContent()).toBe("Version 2, version 1 was rejected by ana");
    await page.goto(`/assets/${next.id}?issue=90`);
    expect(await page.locator(".queue [aria-current]").getAttribute("title")).toBe(
      "second.png, version 2: version 1 was rejected by ana",
    );
    await page.locator("#versions > summary").click();
    const versions = await page.locator(".versions li").allTextContents();
    expect(versions[1]).toContain("rejected by ana, replaced by version 2");
    await page.goto(`/assets/${old.id}`);
    expect(await page.locator(".head").first().textContent()).toContain("by ana, replaced by version 2");
  });
});
