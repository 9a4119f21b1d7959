/** What the review desk shows of media, in a real browser: waveforms, filmstrips, frames. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { wav } from "../support/assets/media.ts";
import { glb, triangle } from "../support/assets/models.ts";
import { browserPath, openBrowserSession } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, until } from "../support/harness.ts";
import { openTestServer } from "../support/test-server.ts";

const desk = useReviewDesk();
const clip = (name: string) => Bun.file(join(import.meta.dir, "../support/clips", name)).bytes();

describe.skipIf(!browserPath)("the track of an audio file", () => {
  test("shows the waveform of a WAV without scripts", async () => {
    const sound = await desk.testServer.upload("bell.wav", wav(2));
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    await visitor.page.goto(`/assets/${sound.id}`);
    const points = await visitor.page.locator(".waveform polygon").getAttribute("points");
    expect(must(points).split(" ")).toHaveLength(2000);
    expect(visitor.faults).toEqual([]);
  });

  test("shows what the browser decodes, and seeks by pointer and keys", async () => {
    const sound = await desk.testServer.upload("tone.ogg", await clip("tone.ogg"));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${sound.id}`);
    const slider = page.getByRole("slider", { name: "Position" });
    await slider.waitFor();
    const points = must(await page.locator(".waveform polygon").getAttribute("points")).split(" ");
    // Where there is ffmpeg, svc has drawn it at the upload.
    expect(points).toHaveLength(Bun.which("ffmpeg") ? 400 : 2000);
    const time = () => page.evaluate<number>("document.querySelector('audio').currentTime");
    await slider.click();
    await until(async () => Math.abs((await time()) - 1) < 0.1, "it is in the middle");
    await slider.press("Home");
    await slider.press("ArrowRight");
    await until(async () => Math.abs((await time()) - 0.02) < 0.01, "it is at a hundredth");
    const told = () => slider.getAttribute("aria-valuetext");
    await until(async () => must(await told()).startsWith("0:00.02"), "it says so");
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("the track of a video", () => {
  test("is a filmstrip, and steps are frames of the file's own rate", async () => {
    const video = await desk.testServer.upload("walk.mp4", await clip("index-last.mp4"));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${video.id}`);
    await page.locator(".filmstrip[data-drawn]").waitFor();
    const colors = await page.evaluate<number>(`(() => {
      const strip = document.querySelector(".filmstrip");
      const { data } = strip.getContext("2d").getImageData(0, 0, strip.width, strip.height);
      return new Set(new Uint32Array(data.buffer)).size;
    })()`);
    expect(colors).toBeGreaterThan(100);

    const shown = () => page.locator("[data-time]").textContent();
    await page.getByRole("slider", { name: "Position" }).press("Home");
    for (let step = 0; step < 3; step++) await page.keyboard.press(".");
    await until(async () => (await shown()) === "0:00.100", "it shows the third frame");
    await page.keyboard.press("t");
    expect(await page.locator("[name=frame]").inputValue()).toBe("3");
    expect(await page.locator("[name=fps]").inputValue()).toBe("30000/1001");
    expect(await page.getByText("its index is at the end of the file").isVisible()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("a 3D model", () => {
  test("is shown in a frame with its own policy, turns by keys, and plays; nothing leaves the site", async () => {
    const model = await desk.testServer.upload("robot.glb", await clip("meshopt.glb"));
    // Small: without a graphics card each pixel of each frame takes the processor.
    await using visitor = await desk.enter({ viewport: { width: 400, height: 400 } });
    const { page } = visitor;
    await page.goto(`/assets/${model.id}`);
    await page.locator("#details > summary").click();
    expect(await page.getByText("3 meshes, 7,180 triangles, 1 texture, 2 animations").isVisible()).toBe(true);
    await page.locator("#details > summary").click();
    const frame = must(await (await page.waitForSelector("iframe")).contentFrame());
    await frame.waitForSelector('body[data-model="shown"]');
    const angle = () =>
      frame.evaluate<number>("document.querySelector('model-viewer').getCameraOrbit().theta");
    const before = await angle();
    await frame.evaluate(
      "document.querySelector('model-viewer').shadowRoot.querySelector('.userInput').focus()",
    );
    await page.keyboard.press("ArrowRight");
    await until(async () => (await angle()) !== before, "it turns");
    const play = frame.getByRole("button", { name: "Play animation" });
    await play.click();
    expect(await play.getAttribute("aria-pressed")).toBe("true");
    expect(visitor.faults).toEqual([]);
  });

  test("without WebGL is a sentence and a download", async () => {
    const model = await desk.testServer.upload("still.glb", glb(triangle));
    await using visitor = await desk.enter();
    await visitor.page.addInitScript("HTMLCanvasElement.prototype.getContext = () => null");
    await visitor.page.goto(`/assets/${model.id}/model`);
    await visitor.page.getByText("Your browser has no WebGL").waitFor();
    expect(await visitor.page.getByRole("link", { name: "Download file" }).isVisible()).toBe(true);
  });

  test("without scripts, or that cannot be shown, is a sentence and a download", async () => {
    const whole = await desk.testServer.upload("triangle.gltf", JSON.stringify(triangle));
    const extensionsUsed = ["KHR_draco_mesh_compression"];
    const packed = await desk.testServer.upload("packed.glb", glb({ ...triangle, extensionsUsed }));
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    for (const [id, sentence] of [
      [whole.id, "The 3D view needs scripts."],
      [packed.id, "The viewer cannot decode KHR_draco_mesh_compression."],
    ] as const) {
      await page.goto(`/assets/${id}/model`);
      expect(await page.getByText(sentence).isVisible()).toBe(true);
      expect(await page.getByRole("link", { name: "Download file" }).isVisible()).toBe(true);
    }
    const other = await desk.testServer.upload("note.txt", "no model");
    expect((await page.goto(`/assets/${other.id}/model`))?.status()).toBe(404);
  });
});

describe.skipIf(!browserPath)("an HTML page", () => {
  const page = "<!doctype html>\n<title>Report</title>\n<h1>Report</h1>\n";

  test("is shown at three widths side by side, scaled to fit, with the annotations of each", async () => {
    const report = await desk.testServer.upload("report.html", page);
    const { sha256 } = await desk.assetOf(report.id);
    const target = { viewport: { w: 768, h: 900 }, shape: "point", x: 5000, y: 2500 };
    const annotation = { sha256, target, body: "Too wide", state: "open" };
    await desk.testServer.api("POST", `/assets/${report.id}/annotations`, annotation);
    await using visitor = await desk.enter({ viewport: { width: 1280, height: 900 } });
    await visitor.page.goto(`/assets/${report.id}`);
    await visitor.page.getByRole("button", { name: "All three" }).click();
    const frames = await visitor.page.evaluate<[number, number, number][]>(
      `[...document.querySelectorAll(".frames .marked")].map((one) => {
        const frame = one.querySelector("iframe");
        const shown = frame.getBoundingClientRect();
        return [frame.clientWidth, shown.width / frame.clientWidth, one.querySelectorAll("g.mark").length];
      })`,
    );
    expect(frames.map(([width]) => width)).toEqual([390, 768, 1280]);
    expect(frames.map(([, , marks]) => marks)).toEqual([0, 1, 0]);
    const [scale = 1] = frames.map(([, scale]) => scale);
    expect(scale).toBeLessThan(0.5);
    for (const [, other] of frames) expect(other).toBeCloseTo(scale, 5);
    const right = await visitor.page.evaluate<boolean>(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth",
    );
    expect(right).toBe(false);
    expect(visitor.faults).toEqual([]);
  });

  test("keeps the width that an annotation states while it is scaled", async () => {
    const report = await desk.testServer.upload("wide.html", page);
    await using visitor = await desk.enter({ viewport: { width: 1280, height: 900 } });
    const { page: browser } = visitor;
    await browser.goto(`/assets/${report.id}`);
    for (let press = 0; press < 3; press++) await browser.keyboard.press("w");
    const pressed = browser.locator('[data-widths] [aria-pressed="true"]');
    await until(async () => (await pressed.textContent()) === "1280 px", "the third width is shown");
    await browser.keyboard.press("m");
    await browser.keyboard.press("Enter");
    expect(await browser.locator("[name=viewport_w]").inputValue()).toBe("1280");
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("a PDF", () => {
  test("turns its pages by key and number, and shows pictures of all of them", async () => {
    const canvas = await desk.browser.newPage();
    await canvas.setContent('<p style="break-after: page">Berth</p>'.repeat(6));
    const paper = await desk.testServer.upload("plan.pdf", await canvas.pdf({ format: "A4" }));
    await canvas.close();
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${paper.id}`);
    await page.mouse.move(5, 5);
    const field = page.getByRole("spinbutton", { name: "Page" });
    await field.waitFor();
    const isAt = (number: string) =>
      until(async () => (await field.inputValue()) === number, `page ${number}`);
    await page.keyboard.press(".");
    await isAt("2");
    await page.keyboard.press(",");
    await isAt("1");
    await field.fill("5");
    await field.press("Enter");
    await page.locator('.sheet.drawn[data-page="5"]').waitFor();
    await page.getByRole("button", { name: "All pages" }).click();
    await page.locator('.page-strip [data-to="3"] canvas').waitFor();
    await page.getByRole("button", { name: "Page 3", exact: true }).click();
    await isAt("3");
    expect(await page.locator('.page-strip [aria-current="true"]').getAttribute("data-to")).toBe("3");
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("a contact sheet", () => {
  test("shows every asset of a task uncropped and numbered, and opens them by key", async () => {
    const ids = await desk.uploads(91, "one.png", "two.png", "three.png");
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/projects/atlas/issues/91");
    await page.getByRole("link", { name: "Contact sheet" }).click();
    await page.locator("[data-contact-sheet]").waitFor();
    await page.waitForLoadState(); // its script has run
    const pictures = page.locator("[data-contact-sheet] a");
    const titles = (await pictures.allTextContents()).map((text) => text.trim());
    expect(titles).toEqual(["1 three.png", "2 two.png", "3 one.png"]);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(await pictures.nth(1).evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press("3");
    await page.waitForURL(`**/assets/${ids[0]}**`);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("a list of assets", () => {
  test("shows a frame of a video that has no thumbnail", async () => {
    await using bare = await openTestServer("sqlite", "disk", { PATH: "/nowhere" });
    const video = await bare.upload("walk.mp4", await clip("index-last.mp4"));
    expect((await bare.api<{ thumb_url: unknown }>("GET", `/assets/${video.id}`)).thumb_url).toBeNull();
    const cookies = await bare.session();
    await using visitor = await openBrowserSession(desk.browser, bare.server.origin, { cookies });
    for (const as of ["", "?as=sheet"]) {
      await visitor.page.goto(`/assets${as}`);
      const shown = "document.querySelector('#assets video')";
      await until(() => visitor.page.evaluate(`${shown}.readyState > 1`), "its frame is read");
      expect(await visitor.page.evaluate<number>(`${shown}.currentTime`)).toBe(1);
    }
    expect(visitor.faults).toEqual([]);
  });
});
