/** Approvals and checklists on the desk, and the review settings of a project: without scripts, and with them. */
import { expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { browserPath, signIn as enterToken, openBrowserSession } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { page, post, signIn } from "../support/browser/site.ts";
import { must, until } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";
import { reviewersOf } from "../support/review/reviewers.ts";

const textOf = (html: string): string => html.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");
const need = [
  { role: "design", count: 1 },
  { role: "admin", count: 1 },
];

test("the desk takes a review with answers, and shows the approvals and verdicts", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const reviewers = reviewersOf(library);
  const project = await reviewers.project(need, [
    { text: "Logo visible" },
    { text: "Calm", required: false },
  ]);
  const { id } = await library.plant({ project, title: "Map", created_by: "agent:codex", bytes: "a map" });
  const ana = await library.mint(allScopes, { name: "ana", review_role: "design" });
  const { cookie, csrf } = await signIn(library, ana);
  const deskPage = async () => (await page(library, `/assets/${id}`, cookie)).text();
  const desk = async () => textOf(await deskPage());
  expect(await desk()).toContain("0 of 2 approvals, waiting for 2 more: design and admin");

  // Without scripts, a browser demands the required answers of an approval only.
  const buttons = (await deskPage()).match(/<button[^>]*name="decision"[^>]*>/g) ?? [];
  expect(
    buttons.map((button) => [/value="(\w+)"/.exec(button)?.[1], /formnovalidate/i.test(button)]),
  ).toEqual([
    ["approved", false],
    ["rejected", true],
  ]);

  const form = { csrf, decision: "approved", checklist_version: "1" };
  const open = await post(library, `/assets/${id}/review`, { ...form, "check-calm": "pass" }, { cookie });
  expect([open.status, textOf(await open.text())]).toEqual([
    400,
    expect.stringContaining("answer the required item") as unknown as string,
  ]);
  const sent = await post(
    library,
    `/assets/${id}/review`,
    { ...form, "check-logo-visible": "pass" },
    { cookie },
  );
  expect([sent.status, sent.headers.get("location")]).toEqual([303, `/assets?reviewed=${id}`]);
  const list = textOf(await (await page(library, `/assets?reviewed=${id}`, cookie)).text());
  expect(list).toContain("Map, version 1, is now pending: waiting for 1 more: admin.");
  const text = await desk();
  expect(text).toContain("1 of 2 approvals, waiting for 1 more: admin");
  expect(text).toContain("approved by ana (design)");
  expect(text).toContain("Checklist, version 1: 1 pass");
  expect(text).toContain("You approved this version.");
  expect(text).toContain("No pending assets");

  const next = await library.plant({ project, title: "Map", uploader: "ana" }, id);
  const made = textOf(await (await page(library, `/assets/${next.id}`, cookie)).text());
  expect(made).toContain("You made this version, so you cannot approve it.");
  expect(made).not.toContain("Approve A");
});

test("the review settings set policies and checklists, and say what is wrong with them", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const { cookie, csrf } = await signIn(library, await library.mint(allScopes, { name: "ana" }));
  const path = "/projects/atlas";
  const settings = async () => textOf(await (await page(library, `${path}/review`, cookie)).text());
  expect(await settings()).toContain("Images one approval is enough, no checklist");
  const need = await post(
    library,
    `${path}/review-policies/image`,
    { csrf, role_1: "design", count_1: "1", role_2: " ", count_2: "1", role_3: "legal", count_3: "2" },
    { cookie },
  );
  expect([need.status, need.headers.get("location")]).toEqual([303, `${path}/review`]);
  const items = "Logo visible\r\nCalm (optional)\r\n";
  expect((await post(library, `${path}/checklists/image`, { csrf, items }, { cookie })).status).toBe(303);
  expect(await settings()).toContain("Images needs design and 2 legal, 2 items");
  const refused = await post(
    library,
    `${path}/review-policies/image`,
    { csrf, role_1: "design", count_1: "11" },
    { cookie },
  );
  const html = await refused.text();
  expect([refused.status, textOf(html)]).toEqual([
    400,
    expect.stringContaining("How many of line 1 must be an integer from 1 to 10.") as unknown as string,
  ]);
  expect(html).toContain('value="design" ');
  expect(html).toContain('value="11"/>');
  const reader = await signIn(library, await library.mint(["assets:read"], { name: "ben" }));
  const seen = textOf(await (await page(library, `${path}/review`, reader.cookie)).text());
  expect(seen).toContain("Calm (optional)");
  expect(seen).not.toContain("Save policy");
});

const desk = useReviewDesk();

test.skipIf(!browserPath)(
  "by keyboard, an approval needs the required answers, and waits for others",
  async () => {
    const { testServer } = desk;
    const [other, second] = await desk.uploads(71, "quays", "berths");
    const id = must(second);
    const put = (path: string, body: object) => testServer.api("PUT", `/projects/atlas/${path}/image`, body);
    await put("review-policies", { need });
    await put("checklists", { items: [{ text: "Logo visible" }] });
    await using visitor = await openBrowserSession(desk.browser, testServer.server.origin);
    await enterToken(visitor.page, await testServer.mint("ben", allScopes));
    const { page: tab } = visitor;
    await tab.goto(`/assets/${id}?issue=71`);
    await tab.keyboard.press("a");
    await tab.getByText("One item needs an answer.").waitFor();
    expect(await tab.locator(".review-checklist .missing").count()).toBe(1);
    await tab.getByRole("radio", { name: "Fail" }).check();
    await tab.getByPlaceholder("What is wrong").fill("cut off");
    await tab.getByRole("heading", { name: "Review" }).click();
    await tab.keyboard.press("r");
    await tab.keyboard.press("Enter");
    await tab.waitForURL(`**/${other}?issue=71`);
    await tab.keyboard.press("u");
    await tab.waitForURL(`**/${id}?issue=71`);
    expect(await tab.getByRole("radio", { name: "Fail" }).isChecked()).toBe(true);
    expect(await tab.getByPlaceholder("What is wrong").inputValue()).toBe("cut off");
    await tab.keyboard.press("a");
    await tab.getByText("A required item failed.").waitFor();
    await tab.getByRole("radio", { name: "Pass" }).check();
    await tab.getByRole("heading", { name: "Review" }).click();
    await tab.keyboard.press("a");
    await tab.keyboard.press("Enter");
    await tab.getByRole("button", { name: "Undo" }).waitFor();
    await tab.reload();
    await until(async () => (await desk.assetOf(id)).verdicts.length === 1, "the review was sent");
    const { status, verdicts } = await desk.assetOf(id);
    expect([status, verdicts[0]?.checklist?.answers]).toMatchObject([
      "pending",
      [{ id: "logo-visible", result: "pass" }],
    ]);
    await put("review-policies", { need: [] });
    await put("checklists", { items: [] });
  },
);
