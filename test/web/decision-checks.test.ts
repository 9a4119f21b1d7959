/** Checks that the words of a note propose, saved with one button where the decision is shown. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type CheckRule, proposeChecks } from "../../src/memory/index.ts";
import type { DecisionDetail } from "../../src/overview/memory/decision-schema.ts";
import { wordsOfRule } from "../../src/web/memory/checks.tsx";
import { openTestServer, type TestServer } from "../support/test-server.ts";

let site: TestServer;
let cookie: string;
beforeAll(async () => {
  site = await openTestServer();
  const [session] = await site.session();
  cookie = `${session?.name}=${session?.value}`;
});
afterAll(() => site[Symbol.asyncDispose]());

const page = async (path: string) => (await fetch(site.server.origin + path, { headers: { cookie } })).text();

/** Sends the form of a page that proposes a check. @returns where it leads */
async function save(html: string): Promise<string | null> {
  const [form = ""] = /<form[^>]*check-proposal[\s\S]*?<\/form>/.exec(html) ?? [];
  const fields = [...form.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)].map(
    ([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"')],
  );
  const [, action = ""] = /action="([^"]+)"/.exec(form) ?? [];
  const { origin } = site.server;
  const response = await fetch(origin + action, {
    ...{ method: "POST", redirect: "manual", headers: { origin, cookie } },
    body: new URLSearchParams(fields),
  });
  return response.headers.get("location");
}

test("on the page of a decision, which then says what is checked, and what was stopped", async () => {
  const body = { project: "atlas", text: "Never use left-pad: it is gone." };
  const { id } = await site.api<DecisionDetail>("POST", "/decisions", body);
  const path = `/memory/decisions/${id}`;
  const before = await page(path);
  expect(before).toContain("Rules found in the text");
  expect(await save(before)).toBe(`${path}?done=checked`);
  await site.api("POST", `/decisions/${id}/stops`, { key: "1" });
  const after = await page(path);
  expect(after).not.toContain("check-proposal");
  expect(after).not.toContain("Rules found in the text");
  expect(after).toContain("Checked: <bdi>Text files must not contain the word “left-pad”.</bdi>");
  expect(after).toContain("<summary>Pattern</summary><code>(?:^|[^\\w-])left-pad(?:$|[^\\w-])</code>");
  expect(after).toContain("Its checks stopped something once.");
  expect(await page("/memory?project=atlas")).toContain("stopped something once");
});

test("on the card of a rejection, and it leads back there", async () => {
  const { id } = await site.upload("poster.png", "words");
  const note = "At most 200 KB, and do not run npm publish.";
  await site.api("PUT", `/assets/${id}/review`, { decision: "rejected", note });
  const card = await page(`/web/rejections/${id}`);
  expect(card).toContain("Assets must be at most 200 KB.");
  expect(card).toContain("Agents must not run “npm publish”.");
  expect(await save(card)).toBe(`/assets/${id}#rejection`);
  expect((await page(`/web/rejections/${id}`)).match(/check-proposal/g)).toHaveLength(1);
});

test.each([
  ["No #FF0000 anywhere.", "Text files must not contain #FF0000 or #F00."],
  ["No #12ab9f in src/**/*.css.", "Text files in src/**/*.css must not contain #12AB9F."],
  ["Never use `lodash.get`.", "Text files must not contain the word “lodash.get”."],
  ["Never use `a + b`.", "Text files must not contain “a + b”."],
  ["`make lint` must pass.", "“make lint” must pass."],
  ["At most 1200 px wide.", "Assets must be at most 1200 px wide."],
])("%s reads: %s", (note, words) => {
  expect(proposeChecks(note).map((rule) => wordsOfRule(rule).sentence)).toEqual([words]);
});

test("a pattern of a person is behind the sentence", () => {
  const rule: CheckRule = { kind: "forbid", pattern: "(?:^|[^\\w-])(a|b)(?:$|[^\\w-])", paths: ["*.ts"] };
  expect(wordsOfRule(rule)).toEqual({
    sentence: "Text files in *.ts must not contain what a pattern matches.",
    pattern: rule.pattern as string,
  });
});
