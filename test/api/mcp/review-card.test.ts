/** The review card in a chat that speaks MCP Apps: the host of the protocol's own package, in a browser. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { ChecklistSet } from "../../../src/library/checklists/schema.ts";
import { mcpRequest, type ToolAnswer } from "../../support/agents/mcp-clients.ts";
import { type Library, openLibrary, request, upload } from "../../support/agents/mcp-library.ts";
import { png } from "../../support/assets/media.ts";
import { browserPath, openBrowser } from "../../support/browser/browser.ts";
import { must, until } from "../../support/harness.ts";

let library: Library;
let picture: string;
const title = '<img src=x onerror="document.title=1"> "map" \u202e</script>';

beforeAll(async () => {
  library = await openLibrary("sqlite");
  picture = await upload(
    library,
    { project: "atlas", title },
    new File([new Uint8Array(png(40, 30))], "map.png"),
  );
});
afterAll(() => library.close());

const ask = async <T>(method: string, params: unknown): Promise<T> => {
  const sent = mcpRequest("older", method, params as Record<string, unknown>);
  const response = await library.ask("/mcp", { ...sent, token: library.token });
  return ((await response.json()) as { result: T }).result;
};

const clientInfo = { name: "a-host", version: "1" };

interface Card {
  contents: { mimeType: string; text: string; _meta: unknown }[];
}

test("the tools that show an asset, and no others, name the card", async () => {
  const { tools } = await ask<{ tools: { name: string; _meta?: object }[] }>("tools/list", {});
  const named = tools.filter(({ _meta }) => _meta && "ui" in _meta).map(({ name }) => name);
  expect(named.toSorted()).toEqual(["svc_asset_get", "svc_request_review"]);
  expect(tools.find(({ name }) => name === "svc_asset_get")?._meta).toEqual({
    ui: { resourceUri: "ui://svc/review-card" },
    "ui/resourceUri": "ui://svc/review-card",
  });
});

test("the handshake and the discovery say that there are cards", async () => {
  const cards = { "io.modelcontextprotocol/ui": {} };
  for (const [era, method] of [
    ["older", "initialize"],
    ["modern", "server/discover"],
  ] as const) {
    const params =
      method === "initialize" ? { protocolVersion: "2025-11-25", clientInfo, capabilities: {} } : {};
    const sent = mcpRequest(era, method, params);
    const response = await library.ask("/mcp", { ...sent, token: library.token });
    const { result } = (await response.json()) as { result: { capabilities: { extensions?: object } } };
    expect([method, result.capabilities.extensions]).toEqual([method, expect.objectContaining(cards)]);
  }
});

test("the card is one file that loads nothing and holds no data", async () => {
  const { contents } = await ask<Card>("resources/read", { uri: "ui://svc/review-card" });
  const [{ mimeType, text }] = contents as [Card["contents"][number]];
  expect(mimeType).toBe("text/html;profile=mcp-app");
  expect(text.match(/(?:src|href)="[^"]+"|url\(|@import|import\s*["({]/g)).toBeNull();
  expect(text).toContain('data-site="http://svc.test"');
});

describe.skipIf(!browserPath)("in a chat, the card", () => {
  let page: Page;
  let script: string;
  const opened: string[] = [];
  beforeAll(async () => {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, "../../support/agents/mcp-app-host.ts")],
      target: "browser",
    });
    script = await must(built.outputs[0]).text();
  });

  async function show(shown: { arguments: object; result: unknown; theme?: "light" | "dark" }) {
    const browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 420, height: 620 } });
    await page.exposeFunction("mcp", ask);
    await page.exposeFunction("opened", (url: string) => void opened.push(url));
    await page.addScriptTag({ content: script, type: "module" });
    const { contents } = await ask<Card>("resources/read", { uri: "ui://svc/review-card" });
    const html = must(contents[0]).text;
    await page.waitForFunction("globalThis.showCard");
    await page.evaluate(`showCard(${JSON.stringify({ theme: "light", ...shown, html })})`);
    return { card: page.frameLocator("iframe"), [Symbol.asyncDispose]: () => page.close() };
  }
  const text = (card: ReturnType<Page["frameLocator"]>, id: string) => card.locator(`#${id}`).textContent();

  test("shows the asset with its picture, and others' text as text", async () => {
    const result = await request(library, library.token, "svc_asset_get", { id: picture });
    await using chat = await show({ arguments: { id: picture }, result });
    await chat.card.locator("#picture[src^='data:image/']").waitFor();
    expect(await text(chat.card, "title")).toBe(title);
    expect(await text(chat.card, "status")).toBe("pending");
    expect(await chat.card.locator("img").count()).toBe(1);
    await chat.card.getByText("Review on the desk").click();
    await until(() => opened.length > 0, "the link is open");
    expect(opened).toEqual([`http://svc.test/assets/${picture}`]);
  });

  test("loads the asset of a review request, and shows a rejection's note and marks as text", async () => {
    const { token } = library;
    const items = [{ text: `Flat ${title}` }];
    const set = { method: "PUT", json: { items }, token };
    const checklist = (await (
      await library.ask("/api/v1/projects/atlas/checklists/file", set)
    ).json()) as ChecklistSet;
    const rejected = await upload(library, { project: "atlas", title });
    const path = `/api/v1/assets/${rejected}`;
    await library.ask(`${path}/annotations`, { json: { body: title, target: { css: title } }, token });
    const answers = checklist.items.map(({ id }) => ({ id, result: "fail", note: title }));
    const review = {
      decision: "rejected",
      note: `Too <b>flat</b> ${title}`,
      checklist: { version: 1, answers },
    };
    await library.ask(`${path}/review`, { method: "PUT", json: review, token });
    const result: ToolAnswer = await request(library, library.token, "svc_request_review", { id: picture });
    await using chat = await show({ arguments: { id: picture }, result });
    await chat.card.getByText("pending").waitFor();
    await using other = await show({
      arguments: { id: rejected },
      result: await request(library, library.token, "svc_asset_get", { id: rejected }),
      theme: "dark",
    });
    await other.card.getByText("Too <b>flat</b>").waitFor();
    expect(await text(other.card, "note")).toBe(`token:all: ${review.note}`);
    expect(await text(other.card, "places")).toContain(
      '<img src=x onerror="document.title=1"> "map" \\u{202e}</script>',
    );
    expect(await other.card.locator("img, b, script").count()).toBe(2);
    expect(await other.card.locator("title").textContent()).toBe("Review");
    expect(await text(other.card, "desk")).toBe("Open on the desk");
  });

  test("asks for the asset itself when the host never sends the result", async () => {
    await using chat = await show({ arguments: { id: picture }, result: null });
    await chat.card.getByText("pending").waitFor();
  });

  test("cannot give a verdict", async () => {
    const { contents } = await ask<Card>("resources/read", { uri: "ui://svc/review-card" });
    const called = [...must(contents[0]).text.matchAll(/name:"(svc_\w+)"/g)].map(([, name]) => name);
    expect(called).toEqual(["svc_asset_get"]);
  });
});
