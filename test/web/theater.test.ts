/** The review desk as a whole: what is in the window, and a review from the queue to its verdict. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { AnnotationList } from "../../src/library/annotations/schema.ts";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath, tabTo } from "../support/browser/browser.ts";
import { drag, entries, phone } from "../support/browser/marking.ts";
import { toast, useReviewDesk } from "../support/browser/review-desk.ts";
import { must, until } from "../support/harness.ts";

const desk = useReviewDesk();
/** A version with everything that a review may have: open marks, a request, a checklist, and a policy. */
let hardest: string;

beforeAll(async () => {
  if (!browserPath) return;
  const { testServer } = desk;
  const maker = await testServer.mint("codex", ["assets:read", "assets:write"]);
  const make = async (bytes: Uint8Array, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ project: "atlas", issue: "80", ...fields }))
      body.append(name, value);
    body.append("file", new File([bytes as BlobPart], "palette.png"));
    const headers = { authorization: `Bearer ${maker}` };
    const answer = await fetch(`${testServer.server.origin}/api/v1/assets`, {
      method: "POST",
      headers,
      body,
    });
    return ((await answer.json()) as { id: string }).id;
  };
  const id = await make(noisyPng(400, 300), {});
  const corner = { shape: "rect", x: 600, y: 3000, w: 5200, h: 4000 };
  for (const body of ["Free berths have a contrast of 2.9. They need 4.5.", "Two jetties have no name."])
    await testServer.api("POST", `/assets/${id}/annotations`, { body, target: corner });
  await testServer.api("PUT", `/assets/${id}/review`, { decision: "rejected", note: "Too dim." });
  hardest = await make(noisyPng(401, 301), { replaces: id });
  await testServer.upload("next.txt", "Berth 1\n", { issue: "80" });
  const due_at = new Date(Date.now() + 7_000_000).toISOString();
  const question = "Can this go out with the next release, or should it wait for the other palette?";
  await testServer.api("POST", `/assets/${hardest}/review-requests`, { due_at, question });
  await testServer.api("PUT", "/projects/atlas/review-policies/image", {
    need: [{ role: "admin", count: 1 }],
  });
  const texts = [
    "Readable in sunlight",
    "A contrast of 4.5 or more",
    "Symbols of the legend",
    "Named jetties",
  ];
  await testServer.api("PUT", "/projects/atlas/checklists/image", { items: texts.map((text) => ({ text })) });
});

const marksOf = async (page: Page, id: string) =>
  (
    (await page.evaluate(
      async (path) => (await fetch(path)).json(),
      `/web/assets/${id}/annotations`,
    )) as AnnotationList
  ).annotations;

describe.skipIf(!browserPath)("the review desk", () => {
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
  ] as const)
    test(`shows title, file, marks, request, checklist, note and verdict in a window of ${width} × ${height}`, async () => {
      await using visitor = await desk.enter({ viewport: { width, height } });
      const { page } = visitor;
      for (const query of ["", "?with=none"]) {
        await page.goto(`/assets/${hardest}${query}`);
        const shown = [
          ...["h1", ".desk-viewer img >> nth=-1", ".asked", "#earlier-annotations .mark-body >> nth=0"],
          ...[".review-checklist li >> nth=0", ".review-checklist li >> nth=-1", "#review textarea"],
          ...[
            "button[value=approved]",
            "button[value=rejected]",
            "#share > summary",
            ".queue [aria-current]",
          ],
        ];
        for (const one of shown) {
          const box = must(await page.locator(one).boundingBox({ timeout: 5_000 }));
          const isInside =
            box.y >= 0 && box.x >= 0 && box.y + box.height <= height && box.x + box.width <= width;
          expect([query, one, isInside]).toEqual([query, one, true]);
        }
        const { scrolled, file } = await page.evaluate(() => ({
          scrolled: document.documentElement.scrollHeight - innerHeight,
          file: (document.querySelector(".desk-viewer img:last-of-type") as HTMLElement).clientWidth,
        }));
        expect([scrolled, file > (query ? 400 : 250)]).toEqual([0, true]);
      }
      expect(visitor.faults).toEqual([]);
    });

  test("scrolls many annotations beside the file, never the page", async () => {
    const { id } = await desk.testServer.upload("marks.png", noisyPng(402, 302), { issue: "81" });
    for (let at = 0; at < 12; at++)
      await desk.testServer.api("POST", `/assets/${id}/annotations`, { body: `Jetty ${at} has no name.` });
    await using visitor = await desk.enter({ viewport: { width: 1440, height: 900 } });
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    const { marks, scrolled } = await page.evaluate(() => ({
      marks: document.querySelectorAll("#annotations .mark").length,
      scrolled: document.documentElement.scrollHeight - innerHeight,
    }));
    expect([marks, scrolled]).toEqual([12, 0]);
    await desk.testServer.api("PUT", `/assets/${id}/review`, { decision: "rejected", note: "Name them." });
  });

  test("leaves the verdict in reach beside an open drawer", async () => {
    for (const width of [1024, 1440]) {
      await using visitor = await desk.enter({ viewport: { width, height: 768 } });
      const { page } = visitor;
      await page.goto(`/assets/${hardest}`);
      for (const name of ["Versions", "Share", "Details"]) {
        await page.locator("summary", { hasText: name }).click();
        for (const button of ["approved", "rejected"])
          await page.locator(`button[value=${button}]`).click({ trial: true, timeout: 5_000 });
      }
    }
  });

  test("keeps details, versions and share in drawers: closed at first, one at a time, without scripts too", async () => {
    for (const javaScriptEnabled of [true, false]) {
      await using visitor = await desk.enter({ javaScriptEnabled });
      const { page } = visitor;
      await page.goto(`/assets/${hardest}`);
      const open = page.locator(".drawer[open]");
      expect(await open.count()).toBe(0);
      for (const [name, content] of [
        ["Versions", "Upload version 3"],
        ["Share", "Create a link for someone"],
        ["Details", "SHA-256"],
      ] as const) {
        await tabTo(page, page.locator("summary", { hasText: name }));
        await page.keyboard.press("Enter");
        await page.getByText(content).first().waitFor();
        expect(await open.count()).toBe(1);
        expect(await page.locator("#earlier-annotations .mark-body").first().isVisible()).toBe(true);
      }
    }
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${hardest}`);
    for (const [key, count] of [
      ["i", 1],
      ["Escape", 0],
    ] as const) {
      await page.keyboard.press(key);
      expect(await page.locator(".drawer[open]").count()).toBe(count);
    }
  });

  test("says no coordinates, and goes from a comment to its mark", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${hardest}?with=none`);
    // biome-ignore lint/performance/useDomNodeTextContent: what is folded is not shown, such as the brief
    const main = await page.locator("main").innerText();
    expect(main.match(/[xy] \d[\d-]* %/g)).toBe(null);
    expect(await page.locator("#earlier-annotations .mark-place").first().textContent()).toBe("left");
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await page.locator("#earlier-annotations .mark-body").first().click();
    const mark = page.locator(".pins .mark[data-n='1'].flash");
    await mark.waitFor();
    const [box, stage] = [must(await mark.boundingBox()), must(await page.locator(".stage").boundingBox())];
    expect(Math.abs(box.x + box.width / 2 - stage.x - stage.width / 2)).toBeLessThan(40);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("a whole review", () => {
  const upload = async (issue: string) => {
    const ids: string[] = [];
    for (const [index, name] of ["one.txt", "two.txt"].entries())
      ids.push((await desk.testServer.upload(name, `Berth ${index}\nfree\n`, { issue })).id);
    const { id } = await desk.testServer.upload("map.png", noisyPng(420, 310), { issue });
    return { map: id, second: must(ids[1]), first: must(ids[0]) };
  };

  test("by keys alone: from the queue to a mark with its comment, rejected, and the next one approved", async () => {
    const { map, second } = await upload("81");
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/assets?status=pending&issue=81");
    await tabTo(page, page.getByRole("link", { name: /^Review 3/ }));
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/assets/${map}?**`);
    expect(await page.locator(".queue [data-id]").evaluateAll((all) => all.length)).toBe(3);
    await page.keyboard.press("m");
    await page.keyboard.press("3");
    for (const key of ["Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", "Enter"])
      await page.keyboard.press(key);
    const field = page.locator(".composing textarea");
    await field.waitFor();
    expect(await page.locator(".composing [value=nit]").isChecked()).toBe(true);
    const [form, shape] = [
      must(await page.locator(".composing").boundingBox()),
      must(await page.locator(".drawing rect.shape").boundingBox()),
    ];
    expect(Math.abs(form.x - shape.x - shape.width)).toBeLessThan(40);
    await page.keyboard.press("Alt+2");
    await page.keyboard.type("2 berths are missing");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("and 1 jetty");
    await page.keyboard.press("Enter");
    await until(async () => (await entries(page).count()) === 1, "it is saved");
    expect(await marksOf(page, map)).toMatchObject([
      {
        weight: "should",
        body: "2 berths are missing\nand 1 jetty",
        target: { shape: "rect", x: 5000, w: 200, h: 100 },
      },
    ]);
    await page.keyboard.press("Enter");
    await field.waitFor();
    await page.keyboard.type("Not this");
    await page.keyboard.press("Escape");
    expect([await page.locator(".composing").count(), await entries(page).count()]).toEqual([0, 1]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/assets/${second}?**`);
    await toast(page, "map.png: rejected.");
    expect(await page.locator(".queue .decided").getAttribute("data-id")).toBe(map);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await toast(page, "two.txt: approved.");
    await page.goto("/feed");
    await until(async () => (await desk.statusOf(map)) === "rejected", "both are written");
    expect([await desk.statusOf(second), visitor.faults]).toEqual(["approved", []]);
  });

  test("by touch alone on a phone, with the file first and the verdict at the lower edge", async () => {
    const { map, first, second } = await upload("82");
    await using visitor = await desk.enter(phone);
    const { page } = visitor;
    await page.goto("/assets?status=pending&issue=82");
    await page.getByRole("link", { name: /^Review 3/ }).tap();
    await page.waitForURL(`**/assets/${map}?**`);
    const top = async (one: string) => must(await page.locator(one).first().boundingBox()).y;
    expect((await top(".desk-viewer")) < (await top(".queue"))).toBe(true);
    expect((await top(".queue")) < (await top(".desk-sidebar"))).toBe(true);
    await page.getByRole("button", { name: "Mark", exact: true }).tap();
    await page.getByRole("button", { name: "nit", exact: true }).tap();
    await drag(page, [
      [0.2, 0.2],
      [0.4, 0.4],
    ]);
    await page.locator(".composing textarea").tap();
    await page.keyboard.insertText("Too close");
    await page.getByRole("button", { name: /^Save annotation/ }).tap();
    await until(async () => (await entries(page).count()) === 1, "it is saved");
    expect(await marksOf(page, map)).toMatchObject([{ weight: "nit", body: "Too close" }]);
    await page.getByRole("button", { name: "Mark", exact: true }).tap();
    await page.getByRole("button", { name: "Reject" }).tap();
    await page.waitForURL(`**/assets/${second}?**`);
    await page.locator(`.queue [data-id="${first}"] a`).tap();
    await page.waitForURL(`**/assets/${first}?**`);
    await page.getByRole("button", { name: "Approve" }).tap();
    await toast(page, "one.txt: approved.");
    await page.goto("/feed");
    await until(async () => (await desk.statusOf(first)) === "approved", "both are written");
    expect([await desk.statusOf(map), await desk.statusOf(second)]).toEqual(["rejected", "pending"]);
    expect(visitor.faults).toEqual([]);
  });
});
