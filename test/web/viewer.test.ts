/** The viewers of the review desk in a real browser. */
import { describe, expect, test } from "bun:test";
import type { Asset } from "../../src/library/assets/schema.ts";
import { windows1251 } from "../support/assets/hostile-files.ts";
import { mp4, noisyPng, png, wav } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, until } from "../support/harness.ts";

const desk = useReviewDesk();
const { enter } = desk;

describe.skipIf(!browserPath)("a viewer", () => {
  const open = async (asset: Pick<Asset, "id">, query = "") => {
    const visitor = await enter();
    await visitor.page.goto(`/assets/${asset.id}${query}`);
    return visitor;
  };

  test("of images zooms and pans, both images of a comparison in sync", async () => {
    const first = await desk.testServer.upload("map.png", png(400, 300));
    const second = await desk.testServer.upload("map.png", noisyPng(400, 300), { replaces: first.id });
    await using visitor = await open(second, `?with=${first.id}`);
    const { page } = visitor;
    const styles = () =>
      page.evaluate("[...document.querySelectorAll('[data-zoom] img')].map((one) => one.style.transform)");
    await page.getByRole("button", { name: "Zoom in" }).first().click();
    expect(await styles()).toEqual(["translate(0px, 0px) scale(1.5)", "translate(0px, 0px) scale(1.5)"]);
    const frame = must(await page.locator("[data-zoom]").first().boundingBox());
    await page.mouse.move(frame.x + 100, frame.y + 100);
    await page.mouse.down();
    await page.mouse.move(frame.x + 130, frame.y + 110);
    await page.mouse.up();
    expect(await styles()).toEqual(["translate(30px, 10px) scale(1.5)", "translate(30px, 10px) scale(1.5)"]);
    await page.getByRole("button", { name: "Fit" }).first().click();
    expect(await styles()).toEqual(["", ""]);
    expect(visitor.faults).toEqual([]);
  });

  test("of images shows `Fit`, or the scale in percent", async () => {
    await using visitor = await open(await desk.testServer.upload("wide.png", png(4000, 200)));
    const { page } = visitor;
    const scale = page.locator("[data-scale]").first();
    const shown = Number(await page.evaluate("document.querySelector('[data-zoom] img').clientWidth"));
    expect(shown).toBeLessThan(4000);
    expect(await scale.textContent()).toBe("Fit");
    await page.getByRole("button", { name: "Zoom in" }).first().click();
    expect(await scale.textContent()).toBe(`${Math.round((shown / 4000) * 150)}%`);
    await page.getByRole("button", { name: "1:1" }).first().click();
    expect(await scale.textContent()).toBe("100%");
    await page.getByRole("button", { name: "Fit" }).first().click();
    expect(await scale.textContent()).toBe("Fit");
    expect(visitor.faults).toEqual([]);
  });

  test("of video and audio steps back and forward, two side by side together", async () => {
    const first = await desk.testServer.upload("walk.mp4", mp4());
    const second = await desk.testServer.upload("walk.mp4", mp4({ duration: 2000 }), { replaces: first.id });
    await using visitor = await open(second, `?with=${first.id}`);
    const { page } = visitor;
    const times = () =>
      page.evaluate(
        "[...document.querySelectorAll('video')].map((one) => Number(one.currentTime.toFixed(3)))",
      );
    await until(
      () => page.evaluate("[...document.querySelectorAll('video')].every((one) => one.readyState > 0)"),
      "both are read",
    );
    await page.keyboard.press(".");
    await page.keyboard.press(".");
    expect(await times()).toEqual([0.067, 0.067]);
    await page.getByRole("button", { name: "Back one frame" }).first().click();
    expect(await times()).toEqual([0.033, 0.033]);
    await page.setViewportSize({ width: 1024, height: 768 });
    const heights = async () =>
      new Set(await page.locator("video").evaluateAll((videos) => videos.map((one) => one.clientHeight)));
    expect((await heights()).size).toBe(1);
    await page.keyboard.press("m");
    await page.locator(".marking").waitFor();
    expect((await heights()).size).toBe(1);

    const sound = await desk.testServer.upload("bell.wav", wav(2));
    await page.goto(`/assets/${sound.id}`);
    await until(() => page.evaluate("document.querySelector('audio').readyState > 0"), "it is read");
    await page.getByRole("button", { name: "Forward 0.1 seconds" }).click();
    await until(async () => (await page.locator("[data-time]").textContent()) === "0:00.100", "it has moved");
    expect(visitor.faults).toEqual([]);
  });

  test("of PDFs is loaded only for PDFs, renders visible pages, and has a text layer", async () => {
    const canvas = await desk.browser.newPage();
    await canvas.setContent(
      `<h1>Plan of the jetty</h1>${'<p style="break-after: page">Berth</p>'.repeat(12)}`,
    );
    const plan = await canvas.pdf({ format: "A4" });
    const paper = await desk.testServer.upload("plan.pdf", plan);
    await canvas.close();
    await using visitor = await open(paper);
    const { page } = visitor;
    await page.mouse.move(5, 5);
    await page.locator(".sheet.drawn").first().waitFor();
    expect(await page.locator(".sheet").count()).toBe(12);
    expect(await page.locator(".sheet.drawn").count()).toBeLessThan(12);
    expect(await page.locator(".textLayer").first().textContent()).toContain("Plan of the jetty");
    const ink = await page.evaluate(`(() => {
      const canvas = document.querySelector(".sheet canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, at) => at % 4 === 0 && value < 100).length;
    })()`);
    expect(ink).toBeGreaterThan(100);
    await page.locator('.sheet[data-page="12"]').scrollIntoViewIfNeeded();
    await page.locator('.sheet.drawn[data-page="12"]').waitFor();
    expect(visitor.faults).toEqual([]);

    const next = await desk.testServer.upload("plan.pdf", plan, { replaces: paper.id });
    await page.goto(`/assets/${next.id}?with=${paper.id}`);
    await page.mouse.move(6, 6);
    for (const side of [0, 1])
      await page.locator(".pages").nth(side).locator(".sheet.drawn").first().waitFor();
    await page.evaluate("document.querySelectorAll('.pages')[1].scrollTop = 700");
    await until(
      () => page.evaluate("Math.abs(document.querySelector('.pages').scrollTop - 700) < 2"),
      "the other one follows",
    );
    expect(visitor.faults).toEqual([]);

    const other = await desk.testServer.upload("one.png", png(3, 3));
    visitor.requests.length = 0;
    await page.goto(`/assets/${other.id}`);
    expect(visitor.requests.filter((one) => one.includes("pdf"))).toEqual([]);
  });

  test("of a broken PDF shows an error and a link to the file", async () => {
    const broken = await desk.testServer.upload("broken.pdf", "%PDF-1.4\nthis is all there is\n%%EOF\n");
    await using visitor = await open(broken);
    await visitor.page.getByText(/^This PDF cannot be shown: .* Download it to review it\.$/).waitFor();
    expect(await visitor.page.getByRole("link", { name: "Download file" }).isVisible()).toBe(true);
  });

  test("of HTML pages shows them in a sandboxed frame, and compares them as a text diff", async () => {
    const text = (words: string) =>
      `<!doctype html>\n<title>Report</title>\n<h1>Report</h1>\n<p>${words}</p>\n<p>The end.</p>\n`;
    const first = await desk.testServer.upload("report.html", text("Two of three <b>fail</b>"));
    await using alone = await open(first);
    const width = async () => (await alone.page.locator("iframe").boundingBox())?.width;
    const full = await width();
    await alone.page.getByRole("button", { name: "390 px" }).click();
    expect(await width()).toBe(390);
    await alone.page.getByRole("button", { name: "Full width" }).click();
    expect(await width()).toBe(must(full));

    const second = await desk.testServer.upload("report.html", text("All three pass"), {
      replaces: first.id,
    });
    await using visitor = await open(second, `?with=${first.id}`);
    const { page } = visitor;
    expect(await page.frameLocator("iframe").first().locator("p").first().textContent()).toBe(
      "Two of three fail",
    );
    await page.getByRole("link", { name: "Text diff", exact: true }).click();
    await page.locator(".difference-text").waitFor();
    const lines = await page.evaluate(
      "[...document.querySelectorAll('.difference-text tbody tr')].map((row) => [row.className, ...[...row.cells].map((cell) => cell.textContent)])",
    );
    expect(lines).toEqual([
      ["same", "1", "1", "", "<!doctype html>"],
      ["same", "2", "2", "", "<title>Report</title>"],
      ["same", "3", "3", "", "<h1>Report</h1>"],
      ["removed", "4", "", "−removed", "<p>Two of three <b>fail</b></p>"],
      ["added", "", "4", "+added", "<p>All three pass</p>"],
      ["same", "5", "5", "", "<p>The end.</p>"],
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test("of texts begins with their diff, and says why there is none if one is too large or not UTF-8", async () => {
    const first = await desk.testServer.upload("log.txt", "short\n");
    const second = await desk.testServer.upload("log.txt", "a long line of a log\n".repeat(30_000), {
      replaces: first.id,
    });
    await using visitor = await open(second, `?with=${first.id}&mode=text`);
    await visitor.page.getByText("One of these files is larger than").waitFor();
    const shown = visitor.page.locator("nav[aria-label='Comparison mode'] [aria-current]");
    await visitor.page.goto(`/assets/${second.id}`);
    expect(await shown.textContent()).toBe("Side by side");
    const third = await desk.testServer.upload("log.txt", "short again\n", { replaces: second.id });
    await visitor.page.goto(`/assets/${third.id}?with=${first.id}`);
    expect(await shown.textContent()).toBe("Text diff");
    const russian = await desk.testServer.upload("log.txt", windows1251("Привет"));
    await visitor.page.goto(`/assets/${russian.id}`);
    await visitor.page.getByText("Привет").waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
