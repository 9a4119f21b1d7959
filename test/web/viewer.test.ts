/** The viewers of the review desk in a real desk.browser. */
import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
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
    await visitor.page.getByText(/^Can't display this PDF: /).waitFor();
    expect(await visitor.page.getByRole("link", { name: "Open PDF" }).isVisible()).toBe(true);
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
    await visitor.page.getByText("Can't compare these files").waitFor();
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

  test("of tables shows rows with quoted fields, their count, and the source on request", async () => {
    const rows = Array.from({ length: 620 }, (_, n) => `${n + 1};"Berth; ""B ${n}""";${n / 2}`);
    const table = await desk.testServer.upload("berths.csv", ["number;berth;depth", ...rows].join("\r\n"));
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${table.id}`);
    const frame = page.locator(".table-view");
    expect(await frame.locator("th").allTextContents()).toEqual(["Row", "number", "berth", "depth"]);
    expect(await frame.locator("tbody tr").count()).toBe(500);
    expect(await frame.locator("tbody tr").nth(1).locator("td").allTextContents()).toEqual([
      ...["2", "2", 'Berth; "B 1"', "0.5"],
    ]);
    await page.getByText("The first 500 of 620 rows, 3 columns, separated by semicolons.").waitFor();
    await page.getByRole("link", { name: "Source" }).click();
    expect(await page.locator(".text-view [data-line='3'] .text").textContent()).toBe(
      '2;"Berth; ""B 1""";0.5',
    );
    const western = await desk.testServer.upload(
      "café.tsv",
      Buffer.from("place\tsort\nCaf\xe9\tb\n", "latin1"),
    );
    await page.goto(`/assets/${western.id}`);
    expect(await frame.locator("td").allTextContents()).toEqual(["1", "Café", "b"]);
    expect(visitor.faults).toEqual([]);
  });

  test("of Markdown shows the page without its HTML, and links that search engines do not follow", async () => {
    const text =
      "# Notes\n\n<script>hit = 1</script>\n\n[away](https://example.com/) [run](javascript:hit=1)\n\n" +
      "![map](https://example.com/map.png)\n\n- [x] done\n";
    const notes = await desk.testServer.upload("notes.md", text);
    await using visitor = await open(notes);
    const { page } = visitor;
    const shown = page.locator(".markdown-view");
    expect(await shown.locator("h2").textContent()).toBe("Notes");
    expect(await shown.locator("script, img, [id]").count()).toBe(0);
    expect(await shown.textContent()).toContain("<script>hit = 1</script>");
    const links = await shown
      .locator("a")
      .evaluateAll((all) => all.map((one) => [one.getAttribute("href"), one.getAttribute("rel")]));
    expect(links).toEqual([["https://example.com/", "nofollow noopener noreferrer"]]);
    expect(visitor.requests.filter((one) => one.includes("example.com"))).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });

  test("highlights code, and formats data that is on one line, digit by digit as it is in the file", async () => {
    const code = await desk.testServer.upload("sum.ts", 'const sum = "1"; // of all\n');
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${code.id}`);
    const tokens = page.locator(".text-view [class^=token-]");
    expect(await tokens.evaluateAll((all) => all.map((one) => [one.className, one.textContent]))).toEqual([
      ["token-keyword", "const"],
      ["token-string", '"1"'],
      ["token-comment", "// of all"],
    ]);
    const data = await desk.testServer.upload(
      "depths.json",
      `{"id":12345678901234567890,"all":[${"1,".repeat(200)}2]}`,
    );
    await page.goto(`/assets/${data.id}`);
    expect(await page.locator(".text-view .text").nth(1).textContent()).toBe('  "id": 12345678901234567890,');
    expect(await page.locator("[data-lines]").count()).toBe(0);
    const track = await desk.testServer.upload("way.gpx", '<?xml version="1.0"?>\n<gpx>\n  <trk/>\n</gpx>\n');
    await page.goto(`/assets/${track.id}`);
    expect(await page.locator(".text-view [data-line='3'] .text").textContent()).toBe("  <trk/>");
    expect(visitor.faults).toEqual([]);
  });

  test("offers the download of what it cannot show, and says that a review needs it", async () => {
    const other = await desk.testServer.upload("all.bin", Uint8Array.of(0, 1, 2, 3, 255));
    await using visitor = await open(other);
    await visitor.page
      .getByText(/Browsers can't show this type of file .* Download it to review it\./)
      .waitFor();
    expect(await visitor.page.getByRole("link", { name: "Download file" }).count()).toBe(1);
  });

  test("says that a file is lost, and offers neither approval nor publishing", async () => {
    const lost = await desk.testServer.upload("gone.png", png(40, 30));
    await rm(join(must(desk.testServer.env.SVC_DATA_DIR), "assets-local/private/atlas", lost.id), {
      recursive: true,
    });
    await using visitor = await open(lost);
    const { page } = visitor;
    await page.getByText("This file is missing from the store.").waitFor();
    expect(await page.locator(".desk-viewer img, .desk-viewer iframe").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Reject" }).count()).toBe(1);
    await desk.testServer.api("PUT", `/assets/${lost.id}/review`, { decision: "approved" });
    await page.reload();
    expect(await page.getByRole("button", { name: "Publish" }).count()).toBe(0);
  });
});

describe("the picture of a file without a thumbnail", () => {
  const pictureOf = async (id: string) => {
    const answer = await fetch(`${desk.testServer.server.origin}/assets/${id}/picture`, {
      headers: {
        cookie: (await desk.testServer.session()).map(({ name, value }) => `${name}=${value}`).join("; "),
      },
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
    return (await answer.text()).replace(/<style>.*?<\/style>/s, "").replace(/<[^>]+>/g, "|");
  };

  test("shows its first lines, rows, headings, or samples, whatever its size", async () => {
    const long = "x".repeat(600_000);
    const table = await desk.testServer.upload("a.csv", `berth;depth\nB 1;<2>\n${"B 2;3\n".repeat(90_000)}`);
    expect(await pictureOf(table.id)).toMatch(/berth\|+depth\|+B 1\|+&lt;2>/);
    const notes = await desk.testServer.upload("notes.md", `# Notes *on* berths\n\nAll of them\n${long}`);
    expect(await pictureOf(notes.id)).toMatch(/Notes on berths\|+All of them/);
    const code = await desk.testServer.upload("sum.ts", `const sum = 1;\n${long}`);
    expect(await pictureOf(code.id)).toMatch(/const\|+ sum = \|+1\|+;/);
    const sound = await desk.testServer.upload("bell.wav", wav(1));
    expect((await pictureOf(sound.id)).match(/\|/g)?.length).toBeGreaterThan(70);
    const other = await desk.testServer.upload("all.bin", Uint8Array.of(0, 1, 2, 3, 255));
    expect(await pictureOf(other.id)).toMatch(/BIN\|+5 bytes/);
  });

  test("says so where the file is lost, in place of a broken image", async () => {
    const lost = await desk.testServer.upload("gone.png", png(40, 30));
    const { thumb_url, url } = await desk.assetOf(lost.id);
    for (const folder of ["_variants", "atlas"])
      await rm(join(must(desk.testServer.env.SVC_DATA_DIR), "assets-local/private", folder, lost.id), {
        ...{ recursive: true, force: true },
      });
    expect(await pictureOf(lost.id)).toContain("File missing");
    const asked = (at: string, destination: string) =>
      fetch(at, { headers: destination ? { "sec-fetch-dest": destination } : {} });
    const image = await asked(must(thumb_url), "image");
    expect([image.status, image.headers.get("content-type")]).toEqual([404, "image/svg+xml"]);
    expect(await (await asked(must(url), "document")).text()).toContain("<p>This file does not exist");
    expect((await asked(must(url), "")).headers.get("content-type")).toStartWith("application/problem+json");
  });
});
