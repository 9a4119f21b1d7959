/** The viewers of tables, Markdown, and code in a real browser, and the pictures of files in the library. */
import { describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { zipSync } from "fflate";
import { renderToString } from "preact-render-to-string";
import { mediaObjects } from "../../db/demo/media.ts";
import type { Asset } from "../../src/library/assets/schema.ts";
import { FontViewer } from "../../src/web/desk/media/font.tsx";
import { formatJson, formatXml } from "../../src/web/desk/text/formatted-data.ts";
import { readTable } from "../../src/web/desk/text/table.ts";
import { png, wav } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must } from "../support/harness.ts";

const desk = useReviewDesk();
const { enter } = desk;

describe.skipIf(!browserPath)("a viewer of text", () => {
  const open = async (asset: Pick<Asset, "id">, query = "") => {
    const visitor = await enter();
    await visitor.page.goto(`/assets/${asset.id}${query}`);
    return visitor;
  };

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

  test.each([
    [
      "a.zip",
      () => zipSync({ "a.txt": Uint8Array.of(1) }),
      /an index\.html or numbered images\. This one has neither/,
    ],
    [
      "a.flv",
      () => Bun.file(join(import.meta.dir, "../support/clips/containers/x.flv")).bytes(),
      /^Your browser cannot play this file \(video\/x-flv\)\./,
    ],
  ])("says of %s why it is not shown, and offers the download", async (name, bytes, sentence) => {
    await using visitor = await open(await desk.testServer.upload(name, await bytes()));
    await visitor.page.getByText(sentence).waitFor();
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
    expect(await page.locator(".publish").count()).toBe(0);
  });
});

describe.skipIf(!browserPath)("a viewer of a table or a font", () => {
  test("shows the first rows of a Parquet file, how many there are, and the download", async () => {
    const key = "silt/1/day.parquet";
    const [file] = mediaObjects([{ id: "1", key, project: "silt", version: 1 }]).values();
    const table = await desk.testServer.upload("day.parquet", await must(file).bytes());
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${table.id}`);
    const cells = page.locator(".table-view tbody tr").nth(1).locator("td");
    expect(await cells.allTextContents()).toEqual(["2", "Veere", "2026-03-05 00:10:00", "0.537"]);
    await page.getByText("The first 200 of 1,584 rows, 3 columns.").waitFor();
    expect(await page.getByRole("link", { name: "Download file" }).count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test("shows a font in the reader's text, with its characters, and says of a damaged one that it is", async () => {
    const folder = join(import.meta.dir, "../../node_modules/pdfjs-dist/standard_fonts");
    const bytes = await Bun.file(join(folder, "LiberationSans-Bold.ttf")).bytes();
    const font = await desk.testServer.upload("bold.ttf", bytes);
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(`/assets/${font.id}`);
    await page.getByLabel("Text", { exact: true }).fill("Berth 7");
    expect(await page.locator("[data-specimen]").allTextContents()).toEqual(new Array(6).fill("Berth 7"));
    expect(await page.evaluate<string>("[...document.fonts].map((one) => one.status).join()")).toBe("loaded");
    expect(await page.locator(".glyphs li").count()).toBe(600);
    await page
      .getByText(/^Liberation Sans Bold: [\d,]+ glyphs, [\d,]+ characters, of which 600 .* Weight 700\.$/)
      .waitFor();
    const damaged = await desk.testServer.upload("cut.ttf", bytes.slice(0, 2_000));
    await page.goto(`/assets/${damaged.id}`);
    await page.getByText("This font cannot be shown: it is damaged").waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

test("a variable font shows each of its weights, which the browser is told of", () => {
  const font = { name: "Tern", glyphs: 9, characters: 9, shown: "Ag", axes: ["wght 300-650"], sample: null };
  const asset = { id: "1", title: "Tern", url: "/tern.woff2" } as Asset;
  const html = renderToString(FontViewer({ src: "/tern.woff2", label: "Tern", font, asset }));
  expect(html).toContain('data-weights="300 650"');
  expect([...html.matchAll(/weight-(\d+)/g)].map(([, weight]) => weight)).toEqual([
    "300",
    "400",
    "500",
    "600",
  ]);
  expect(html).toContain("Semibold 600");
});

describe("a text made to take long", () => {
  const length = 500_000;

  test("is formatted as far as a page shows it, and says that there is more", () => {
    for (const part of ["[", "[]", "1,", ":", '"', "\\", '{"a":1},', "<a>", "<a></a>"])
      for (const format of [formatJson, formatXml]) {
        const { text, isCut } = format(`"${part.repeat(length / part.length)}`);
        expect(text.split("\n").length).toBeLessThanOrEqual(5_000);
        expect(text.length).toBeLessThan(600_000);
        expect(isCut || text.length === length + 1).toBe(true);
      }
    expect(formatJson('{"a":[1,2]}')).toEqual({ text: '{\n  "a": [\n    1,\n    2\n  ]\n}', isCut: false });
  });

  test("is read as a table up to a number of fields, and says that there are more rows", () => {
    const { rows, count, columns, isCut } = must(readTable("a,b\n".repeat(length / 4)));
    expect([rows.length, columns, isCut]).toEqual([500, 2, true]);
    expect(count).toBeLessThan(25_000);
    const wide = must(readTable(`${"a,".repeat(2_000)}a\n1,2\n`));
    expect([wide.header.length, wide.columns, wide.uneven, wide.isCut]).toEqual([100, 2_001, 1, false]);
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
    const notes = await desk.testServer.upload(
      "notes.md",
      `# Notes *on* berths\n\nAll of them\n\n| Berth | Depth |\n|---|---|\n\n\`\`\`ts\n${long}`,
    );
    expect(await pictureOf(notes.id)).toMatch(/Notes on berths\|+All of them\|+Berth · Depth *\|+xxx/);
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
