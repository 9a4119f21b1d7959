/** Checks that the words of a note propose, saved with one button where the decision is shown. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { DecisionDetail } from "../../src/overview/memory/decision-schema.ts";
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
  expect(after).toContain("Checked: <bdi>no /(?:^|[^\\w-])left-pad(?:$|[^\\w-])/</bdi>");
  expect(after).toContain("Its checks stopped something once.");
  expect(await page("/memory?project=atlas")).toContain("stopped something once");
});

test("on the card of a rejection, and it leads back there", async () => {
  const { id } = await site.upload("poster.png", "words");
  const note = "At most 200 KB, and do not run npm publish.";
  await site.api("PUT", `/assets/${id}/review`, { decision: "rejected", note });
  const card = await page(`/web/rejections/${id}`);
  expect(card).toContain("files at most 200 KB");
  expect(card).toContain("do not run");
  expect(await save(card)).toBe(`/assets/${id}#rejection`);
  expect((await page(`/web/rejections/${id}`)).match(/check-proposal/g)).toHaveLength(1);
});
