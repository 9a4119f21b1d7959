/** Comparing two images on the review desk: each mode by pointer and keys, and what to compare. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { boxesPng, noisyPng, png } from "../../support/assets/media.ts";
import { browserPath } from "../../support/browser/browser.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { must, until } from "../../support/harness.ts";

const desk = useReviewDesk();
const style = (page: Page, of: string, name: string) =>
  page.locator(of).evaluate((one, name) => getComputedStyle(one).getPropertyValue(name), name);
const status = (page: Page) => page.locator("[data-changes-text]").textContent();

/** Uploads versions of one asset. @returns their ids */
async function versions(name: string, ...files: Uint8Array[]): Promise<string[]> {
  const ids: string[] = [];
  for (const file of files)
    ids.push(
      (await desk.testServer.upload(name, file, ids.length > 0 ? { replaces: must(ids.at(-1)) } : {})).id,
    );
  return ids;
}

describe.skipIf(!browserPath)("two images", () => {
  test("are compared by a wipe, an onion skin, and flicker, with keys for each", async () => {
    const [first, second] = await versions("berths.png", png(400, 300), noisyPng(400, 300));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${second}?with=${first}`);
    const to = async (key: string, mode: string) => {
      await page.keyboard.press(key);
      await page.waitForURL(`**mode=${mode}`);
      await page.locator("#over").waitFor();
    };
    await to("w", "wipe");
    const image = must(await page.locator("#over .upper").boundingBox());
    await page.mouse.move(image.x + image.width / 2, image.y + 20);
    await page.mouse.down();
    await page.mouse.move(image.x + image.width / 4, image.y + 40);
    await page.mouse.up();
    expect(await style(page, "#over .upper", "clip-path")).toBe("inset(0px 0px 0px 25%)");
    await page.locator("#over").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#slide").inputValue()).toBe("30");

    await to("o", "onion");
    await page.getByLabel("Opacity of v2").fill("20");
    expect(await style(page, "#over .upper", "opacity")).toBe("0.2");

    await to("f", "flicker");
    await page.keyboard.press("Space");
    const shown = await page.locator("[data-shown]").textContent();
    await page.keyboard.press("f");
    expect([shown, await page.locator("[data-shown]").textContent()].toSorted()).toEqual(["v1", "v2"]);
    await page.keyboard.press("s");
    await page.locator(".side").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("are wiped with a finger", async () => {
    const [first, second] = await versions("quay.png", png(400, 300), noisyPng(400, 300));
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await using visitor = await desk.enter(phone);
    const { page } = visitor;
    await page.goto(`/assets/${second}?with=${first}`);
    await page.getByRole("link", { name: "Wipe" }).tap();
    await page.locator("[data-slide]").waitFor();
    const box = must(await page.locator("#over .upper").boundingBox());
    const touch = await page.context().newCDPSession(page);
    const send = (type: "touchStart" | "touchMove" | "touchEnd", share?: number) => {
      const at = { x: box.x + box.width * (share ?? 0), y: box.y + box.height / 2 };
      return touch.send("Input.dispatchTouchEvent", { type, touchPoints: share === undefined ? [] : [at] });
    };
    await send("touchStart", 0.5);
    for (const share of [0.6, 0.7, 0.8]) await send("touchMove", share);
    await send("touchEnd");
    expect(await page.locator("#slide").inputValue()).toBe("80");
    expect(visitor.faults).toEqual([]);
  });

  test("of one shape are shown at one size, others at one scale", async () => {
    const [first, second, third] = await versions(
      "map.png",
      noisyPng(200, 150),
      noisyPng(400, 300),
      noisyPng(400, 350),
    );
    await using visitor = await desk.enter({ viewport: { width: 1280, height: 900 } });
    const { page } = visitor;
    const sizes = () =>
      page
        .locator("[data-zoom] img")
        .evaluateAll((all) => all.map(({ clientWidth, clientHeight }) => [clientWidth, clientHeight]));
    await page.goto(`/assets/${second}?with=${first}`);
    await until(async () => (await sizes()).every(([width]) => width === 400), "both are as large");
    expect(await sizes()).toEqual([
      [400, 300],
      [400, 300],
    ]);
    await page.goto(`/assets/${third}?with=${first}&mode=difference`);
    await page.locator(".cornered").waitFor();
    expect(await sizes()).toEqual([
      [200, 150],
      [400, 350],
    ]);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("the difference of two images", () => {
  test("outlines what changed; J and K walk through it, and enlarge what is small", async () => {
    const [first, second] = await versions(
      "plan.png",
      boxesPng(400, 300, [[10, 10, 50, 20]]),
      boxesPng(400, 300, [
        [10, 10, 50, 20],
        [200, 40, 80, 60],
        [300, 200, 4, 4],
      ]),
    );
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${second}?with=${first}&mode=difference`);
    await page.getByText("2 changes, 4 % of the pixels.").waitFor();
    expect(await page.locator(".changes g").count()).toBe(2);
    await page.keyboard.press("j");
    expect(await status(page)).toBe("Change 1 of 2: 50 % to 70 % from the left, 13 % to 33 % from the top.");
    expect(await page.locator("[data-scale]").textContent()).toBe("Fit");
    await page.keyboard.press("j");
    expect(await status(page)).toMatch(/^Change 2 of 2: 75 % to 76 % from the left/);
    expect(await page.locator("[data-scale]").textContent()).toBe("400%");
    await page.keyboard.press("k");
    await page.getByRole("button", { name: "Previous change (K)" }).click();
    expect(await status(page)).toMatch(/^Change 2 of 2/);
    await page.getByLabel("Amplify").fill("4");
    expect(await style(page, "#over .pair", "filter")).toBe("brightness(4)");
    expect(new URL(page.url()).pathname).toBe(`/assets/${second}`);
    expect(visitor.faults).toEqual([]);
  });

  test("of SVG is that of its pixels", async () => {
    const svg = (more = "") =>
      new TextEncoder().encode(
        `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><path d="M0 0h9v9z"/>${more}</svg>`,
      );
    const added = '<rect x="200" y="150" width="80" height="60" fill="#c33"/>';
    const [first, second] = await versions("plan.svg", svg(), svg(added));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${second}?with=${first}&mode=difference`);
    await page.getByText("1 change, 4 % of the pixels.").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("says when nothing changed, and when everything did", async () => {
    const [first, second, third] = await versions("map.png", png(80, 60), png(80, 60), noisyPng(80, 60));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${second}?with=${first}&mode=difference`);
    await page.getByText("No visible change.").waitFor();
    await page.goto(`/assets/${third}?with=${second}&mode=difference`);
    await page.getByText(/^Changed almost everywhere \(\d+ % of the pixels\)/).waitFor();
    expect(await page.locator(".changes g").count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("what is compared", () => {
  test("without scripts, are any two versions, and what two runs of a task made", async () => {
    const { upload } = desk.testServer;
    const task = { issue: "81" };
    const first = await upload("map.png", png(40, 30), { ...task, run_id: "one" });
    const second = await upload("map.png", png(41, 30), { ...task, run_id: "one", replaces: first.id });
    const third = await upload("map.png", png(42, 30), { ...task, run_id: "one", replaces: second.id });
    const other = await upload("map.png", png(43, 30), { ...task, run_id: "two" });
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    const captions = async () =>
      (await page.locator(".side figcaption").allTextContents()).map((text) =>
        text.replace(/\s+/g, " ").trim(),
      );
    const compare = async (left: string, right: string) => {
      await page.locator("#versions > summary").click();
      await page.locator("select[name=with]").selectOption(left);
      await page.locator("select[name=shown]").selectOption(right);
      await page.getByRole("button", { name: "Compare", exact: true }).first().click();
    };
    await page.goto(`/assets/${third.id}?issue=81`);
    await compare(first.id, second.id);
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
      `/assets/${second.id}?issue=81&with=${first.id}`,
    );
    expect(await captions()).toEqual([
      "Version 1 replaced by version 2, not reviewed",
      "Version 2 replaced by version 3, not reviewed",
    ]);
    await compare(other.id, third.id);
    expect(await captions()).toEqual([
      "map.png, version 3 pending run one",
      "map.png, version 1 pending run two",
    ]);
    await page.goto("/projects/atlas/issues/81");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
      `/assets/${other.id}?with=${third.id}`,
    );
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("two HTML pages", () => {
  test("are shown at one width: a button or a key of one sets both", async () => {
    const [first, second] = await versions(
      "report.html",
      ...["Two fail", "All pass"].map((text) => new TextEncoder().encode(`<!doctype html><p>${text}`)),
    );
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${second}?with=${first}`);
    const widths = () =>
      page.locator("iframe").evaluateAll((all) => all.map(({ clientWidth }) => clientWidth));
    await page.getByRole("button", { name: "390 px" }).first().click();
    expect(await widths()).toEqual([390, 390]);
    await page.keyboard.press("w");
    expect(await widths()).toEqual([768, 768]);
    expect(visitor.faults).toEqual([]);
  });

  test("are texts too different for a list of their changes, beside each other, with the reason", async () => {
    const { upload } = desk.testServer;
    const csv = (of: number) =>
      Array.from({ length: 12_000 }, (_, at) => `${at * of},berth ${at + of},${of}`).join("\n");
    const first = await upload("berths.csv", csv(1));
    const second = await upload("berths.csv", csv(7), { replaces: first.id });
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${second.id}`);
    await page.getByText(/^These files are too different/).waitFor();
    expect(await page.locator(".side .table-view").count()).toBe(2);
  });
});
