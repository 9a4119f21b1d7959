/** Annotations as forms and lists, without scripts and with hostile text. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import { mp4, noisyPng } from "../../support/assets/media.ts";
import { browserPath } from "../../support/browser/browser.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { must } from "../../support/harness.ts";
import { openSession } from "../../support/test-server.ts";

const desk = useReviewDesk();
const annotate = (id: string, body: string, target?: object, weight = "must") =>
  desk.testServer.api<Annotation>("POST", `/assets/${id}/annotations`, { body, target, weight });
const entry = (page: Page, n: number) => page.locator(`.marks > [data-mark="${n}"]`);

describe.skipIf(!browserPath)("without scripts, an annotation", () => {
  test("is a form with its place in percent; it is edited, removed and answered by forms", async () => {
    const { id } = await desk.testServer.upload("map.png", noisyPng(400, 300));
    await annotate(id, "Too dark", { shape: "point", x: 2000, y: 3000 });
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    const ofScripts = page.locator(".mark-bar").filter({ visible: true });
    expect([await ofScripts.count(), await page.locator(".pins .mark").count()]).toEqual([0, 1]);
    const form = page.locator(".annotate");
    await form.locator("> summary").click();
    await form.locator(".measured summary").click();
    await form.getByLabel("What to change").fill("Cut off\nat the left");
    await form.getByLabel("should").check();
    for (const [name, value] of [
      ["Left %", "1.5"],
      ["Top %", "40"],
      ["Width %", "20"],
      ["Height %", "10.25"],
    ] as const)
      await form.getByLabel(name).fill(value);
    await form.getByRole("button", { name: "Save annotation" }).click();
    expect(new URL(page.url()).hash).toBe("#mark-2");
    const seen = async () => entry(page, 2).locator("> .mark-body").textContent();
    expect(await seen()).toBe("Cut off\nat the left");
    expect(await entry(page, 2).locator(".mark-place").textContent()).toBe("left");
    await entry(page, 2).locator("summary", { hasText: "Edit" }).click();
    await entry(page, 2).getByLabel("What to change").fill("Cut off");
    await entry(page, 2).getByRole("button", { name: "Save" }).click();
    expect(await seen()).toBe("Cut off");
    await entry(page, 2)
      .getByRole("button", { name: /^Remove/ })
      .click();
    expect(await page.locator(".pins .mark").count()).toBe(1);
    await entry(page, 1).locator("summary", { hasText: "Reply" }).click();
    await entry(page, 1).getByRole("textbox").fill("Which part?");
    await entry(page, 1).getByRole("button", { name: "Reply" }).click();
    expect(await entry(page, 1).locator(".replies .mark-body").allTextContents()).toEqual(["Which part?"]);
    expect(visitor.faults).toEqual([]);
  });

  test("on a video has a time; what cannot be read is refused with the text kept", async () => {
    const { id } = await desk.testServer.upload("walk.mp4", mp4({ duration: 4000 }));
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    const form = page.locator(".annotate");
    await form.locator("> summary").click();
    await form.getByLabel("What to change").fill("A jump");
    await form.getByLabel("Time").fill("soon");
    await form.getByRole("button", { name: "Save annotation" }).click();
    expect(await form.getByRole("alert").textContent()).toBe(
      "Write a time as minutes and seconds, such as 0:12.400, not soon.",
    );
    expect(await form.getByLabel("What to change").inputValue()).toBe("A jump");
    await form.getByLabel("Time").fill("0:01.5");
    await form.getByLabel("Until").fill("2");
    await form.getByRole("button", { name: "Save annotation" }).click();
    expect(await entry(page, 1).locator(".mark-place").textContent()).toBe("00:01.500-00:02.000");
  });
});

describe.skipIf(!browserPath)("the text of an annotation", () => {
  test("changes nothing outside its place, whatever it is", async () => {
    const hostile = [
      `</bdi></p></li></ol><script>document.title = "owned"</script>`,
      `"><img src=x onerror="document.title='owned'"><svg onload="document.title='owned'">`,
      "\u202egnp.exe\u202c </textarea></template></svg><h1>Owned</h1>",
    ];
    const { id } = await desk.testServer.upload("map.png", noisyPng(400, 300));
    for (const text of hostile)
      await annotate(id, text, { shape: "point", x: 5000, y: 5000, quote: { exact: text.slice(0, 80) } });
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    expect(await page.locator("#annotations .mark > .mark-body").allTextContents()).toEqual(hostile);
    expect([await page.title(), await page.locator("h1").count()]).toEqual(["map.png · svc", 1]);
    expect(await page.locator("main script, main img[src=x], .marks svg").count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("on the next version", () => {
  test("of another shape there are no pins of the version before", async () => {
    const first = await desk.testServer.upload("map.png", noisyPng(400, 300));
    await annotate(first.id, "Cut off", { shape: "point", x: 1000, y: 1000 });
    const second = await desk.testServer.upload("map.png", noisyPng(300, 400), { replaces: first.id });
    await using visitor = await desk.enter();
    await visitor.page.goto(`/assets/${second.id}?with=none`);
    expect(await visitor.page.locator(".ghost").count()).toBe(0);
    expect(await visitor.page.locator("#earlier-annotations .crop").count()).toBe(2);
  });
});

describe.skipIf(!browserPath)("a visitor without assets:review", () => {
  test("reads annotations and has no form", async () => {
    const { testServer } = desk;
    const { id } = await testServer.upload("map.png", noisyPng(400, 300));
    await annotate(id, "Cut off", { shape: "point", x: 1000, y: 1000 });
    const reader = await testServer.mint("reader", ["assets:read"]);
    await using visitor = await desk.enter({ cookies: await openSession(testServer.server.origin, reader) });
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    expect(must(await entry(page, 1).locator("> .mark-body").textContent())).toBe("Cut off");
    expect(await page.locator("#annotations form, .mark-bar").count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});
