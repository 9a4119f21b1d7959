/** Marking places in a browser, by keyboard and by touch. */
import type { Page } from "playwright-core";
import type { Target } from "../../../src/files/probe/marks/schema.ts";
import { must, until } from "../harness.ts";

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The annotations of the version that a page shows. */
export const entries = (page: Page) => page.locator("#annotations .marks > .mark");

/** Types the text of a place that was marked, and saves it. */
export async function save(page: Page, text: string): Promise<void> {
  const saved = await entries(page).count();
  await page.locator(".composing textarea").waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await until(async () => (await entries(page).count()) === saved + 1, `"${text}" is in the list`);
}

export async function press(page: Page, key: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) await page.keyboard.press(key);
}

/** Marks a point, a box and a path on an image with the keyboard alone, and saves each with its text. */
export async function markByKeyboard(page: Page, texts: readonly [string, string, string]): Promise<void> {
  await page.keyboard.press("m");
  await press(page, "ArrowRight", 10);
  await page.keyboard.press("Enter");
  await save(page, texts[0]);
  await press(page, "ArrowLeft", 10);
  await press(page, "Shift+ArrowRight", 5);
  await press(page, "Shift+ArrowDown", 4);
  await page.keyboard.press("Enter");
  await save(page, texts[1]);
  await page.getByRole("button", { name: "Path", exact: true }).press("Enter");
  await page.locator(".drawing").focus();
  for (const key of ["ArrowUp", "ArrowLeft"]) {
    await page.keyboard.press("Enter");
    await press(page, key, 10);
  }
  await press(page, "Enter", 2);
  await save(page, texts[2]);
  await page.keyboard.press("Escape");
}

/** What `markByKeyboard` marks. */
export const markedByKeyboard: Target[] = [
  { shape: "point", x: 6000, y: 5000 },
  { shape: "rect", x: 5000, y: 5000, w: 500, h: 400 },
  {
    shape: "path",
    points: [
      [5500, 5400],
      [5500, 4400],
      [4500, 4400],
    ],
  },
];

/** Draws with a finger on the layer over a picture. @param points in shares of the picture */
export async function drag(page: Page, points: [x: number, y: number][]): Promise<void> {
  const box = must(await page.locator(".drawing").boundingBox());
  const touch = await page.context().newCDPSession(page);
  const at = ([x, y]: [number, number]) => [{ x: box.x + box.width * x, y: box.y + box.height * y }];
  const [first, ...rest] = points as [[number, number], ...[number, number][]];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(first) });
  for (const point of rest)
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(point) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}
