/** Long texts on the review desk: a part of them at a time, with links to the others. */
import { describe, expect, test } from "bun:test";
import type { Asset } from "../../src/library/assets/schema.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";

const desk = useReviewDesk();
const { enter } = desk;

describe.skipIf(!browserPath)("a viewer of text", () => {
  const open = async (asset: Pick<Asset, "id">, query = "") => {
    const visitor = await enter();
    await visitor.page.goto(`/assets/${asset.id}${query}`);
    return visitor;
  };

  test("of long code shows a part of its lines, and leads to the others and to their marks", async () => {
    const { api, upload } = desk.testServer;
    const lines = Array.from({ length: 2_400 }, (_, at) => `const depth${at + 1} = ${at};`);
    const code = await upload("depths.ts", lines.join("\n"));
    await api("POST", `/assets/${code.id}/annotations`, {
      body: "Name the unit.",
      weight: "should",
      target: { lines: { from: 2_222, to: 2_222 } },
    });
    const query = "?mode=source";
    await using plain = await enter({ javaScriptEnabled: false });
    await plain.page.goto(`/assets/${code.id}${query}`);
    const numbers = (page: typeof plain.page) => page.locator(".text-view .number");
    expect([await numbers(plain.page).count(), await numbers(plain.page).last().textContent()]).toEqual([
      ...[1_000, "1000"],
    ]);
    await plain.page.getByText("Lines 1 to 1,000 of 2,400").waitFor();
    for (const [first, last] of [
      ["1001", "2000"],
      ["2001", "2400"],
    ]) {
      await plain.page.getByRole("link", { name: "Lines after" }).click();
      expect(await numbers(plain.page).first().textContent()).toBe(first as string);
      expect(await numbers(plain.page).last().textContent()).toBe(last as string);
    }
    expect(await plain.page.locator(".text-view .token-keyword").count()).toBe(400);
    expect(await plain.page.getByRole("link", { name: "Lines after" }).count()).toBe(0);
    await using visitor = await open(code, query);
    await visitor.page.locator(".pin-link[data-line='2222']").click();
    await visitor.page.locator(".text-view .line-pin").waitFor();
    expect(await visitor.page.locator("tr[data-line='2222']").isVisible()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test("of many changes shows a part of them, leads to the others, and scrolls them within the window", async () => {
    const { upload } = desk.testServer;
    const text = (unit: string) =>
      Array.from({ length: 600 }, (_, at) => `${at}: ${at % 10 === 5 ? unit : "m"} `.padEnd(300, "~")).join(
        "\n",
      );
    const first = await upload("depths.txt", text("m"));
    await using visitor = await open(
      await upload("depths.txt", text("ft"), { replaces: first.id }),
      "?mode=text",
    );
    const { page } = visitor;
    const lines = page.locator(".difference-text tbody tr");
    await page.getByText("Lines 1 to 159 of 480").waitFor();
    const scrolled = "document.documentElement.scrollHeight - innerHeight";
    expect([await lines.count(), await page.evaluate(scrolled)]).toEqual([159, 0]);
    await page.getByRole("link", { name: "Lines after" }).click();
    await page.getByText("Lines 160 to 318 of 480").waitFor();
    await page.getByRole("link", { name: "Side by side" }).click();
    await page.locator(".side").waitFor();
    expect(page.url()).not.toContain("line=");
    expect(visitor.faults).toEqual([]);
  });

  test("of Markdown in parts starts none within code, and each knows the links of all", async () => {
    const section = (at: number) =>
      `## Part ${at}\n\n[chart][c] ${"word ".repeat(60)}\n\n\`\`\`\n# no\n\n# code\n\`\`\`\n`;
    const sections = Array.from({ length: 400 }, (_, at) => section(at)).join("\n");
    const { id } = await desk.testServer.upload("long.md", `${sections}\n[c]: https://example.com/chart\n`);
    await using visitor = await open({ id });
    const { page } = visitor;
    const shown: string[] = [];
    for (let more = true; more; ) {
      expect(await page.locator(".markdown-view a[href='https://example.com/chart']").count()).toBe(
        await page.locator(".markdown-view h3").count(),
      );
      shown.push(...(await page.locator(".markdown-view h3").allTextContents()));
      const next = page.getByRole("link", { name: "Lines after" });
      more = (await next.count()) > 0;
      if (more) await next.click();
    }
    expect(shown).toEqual(Array.from({ length: 400 }, (_, at) => `Part ${at}`));
    expect(visitor.faults).toEqual([]);
  });
});
