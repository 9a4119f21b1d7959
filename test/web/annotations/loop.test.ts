/**
 * The whole loop: a reviewer marks places by keyboard and by touch, an agent reads them and answers over MCP
 * alone, and what the reviewer opens again is first in its next brief.
 */
import { expect, test } from "bun:test";
import type { AnnotationSummary } from "../../../src/library/annotations/schema.ts";
import type { PresignResponse } from "../../../src/library/assets/requests.ts";
import { connectHttp } from "../../support/agents/mcp-clients.ts";
import { mp4, noisyPng } from "../../support/assets/media.ts";
import { browserPath, tabTo } from "../../support/browser/browser.ts";
import { drag, markByKeyboard, markedByKeyboard, phone, save } from "../../support/browser/marking.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { must, until } from "../../support/harness.ts";

const desk = useReviewDesk();
const agentScopes = ["memory:read", "assets:read", "assets:write"] as const;

type Offer = Pick<PresignResponse, "id" | "upload_url" | "headers" | "finalize_body">;

/** An agent that has nothing but MCP, and the PUT that MCP told it. */
async function connectAgent() {
  const token = await desk.testServer.mint("codex", agentScopes);
  const connected = await connectHttp("client 2, 2026-07-28", desk.testServer.server.origin, token);
  const call = async <T>(name: string, args: Record<string, unknown>) => {
    const { isError, content, structuredContent } = await connected.client.callTool({
      name,
      arguments: args,
    });
    expect([name, isError && content]).toEqual([name, undefined]);
    const text = (content as { text?: string }[]).map((part) => part.text ?? "").join("\n");
    return { text, value: structuredContent as T };
  };
  return {
    call,
    async upload(filename: string, bytes: Uint8Array, fields: object): Promise<string> {
      const { value: offer } = await call<Offer>("svc_asset_request_upload", {
        ...{ project: "atlas", filename, ...fields },
      });
      const { id, upload_url, headers = {}, finalize_body } = offer;
      const sent = await fetch(upload_url, { method: "PUT", headers, body: bytes as BodyInit });
      expect([sent.status, await sent.text()]).toEqual([200, expect.anything()]);
      await call("svc_asset_finalize", { id, ...finalize_body });
      return id;
    },
    brief: async () => (await call("svc_brief", { project: "atlas", issue: 90 })).text,
    linesOf: async (id: string) =>
      (await call<{ annotations: AnnotationSummary[] }>("svc_asset_get", { id })).value.annotations.map(
        ({ text }) => text,
      ),
    [Symbol.asyncDispose]: () => connected[Symbol.asyncDispose](),
  };
}

const isReviewed = (id: string) =>
  until(async () => (await desk.statusOf(id)) === "rejected", "the review is recorded");

test.skipIf(!browserPath)(
  "places marked by keyboard and by touch reach the agent as text, and what is opened again is first in its brief",
  async () => {
    await using agent = await connectAgent();
    const issue = { issue: 90 };
    const image = await agent.upload("map.png", noisyPng(400, 300), issue);
    const video = await agent.upload("walk.mp4", mp4({ duration: 4000 }), issue);
    await using atDesk = await desk.enter();
    await using onPhone = await desk.enter(phone);
    const [keyboard, touch] = [atDesk.page, onPhone.page];

    await keyboard.goto(`/assets/${image}?issue=90`);
    await markByKeyboard(keyboard, ["Too dark", "Cut off", "Not smooth"]);
    expect([await keyboard.locator(".drawing").count(), await agent.linesOf(image)]).toEqual([0, []]);
    expect(await keyboard.locator("#note-goes strong").textContent()).toBe(
      "3 draft annotations will be sent with your review.",
    );
    await keyboard.keyboard.press("r");
    await keyboard.keyboard.press("Enter");
    await keyboard.locator("#toast").getByText("map.png: rejected.").waitFor();
    await keyboard.goto("/feed");
    await isReviewed(image);

    await touch.goto(`/assets/${video}?issue=90`);
    await until(() => touch.evaluate("document.querySelector('video').readyState > 1"), "it is read");
    await touch.getByRole("button", { name: "Mark", exact: true }).tap();
    for (const [left, text] of [
      [0.1, "A jump"],
      [0.4, "Hides the face"],
      [0.7, "Wrong color"],
    ] as const) {
      await drag(touch, [
        [left, 0.2],
        [left + 0.1, 0.4],
        [left + 0.2, 0.6],
      ]);
      await save(touch, text);
    }
    expect(await touch.locator(".picture-box .pins .mark").count()).toBe(3);
    await touch.getByRole("button", { name: "Reject" }).tap();
    await touch.locator("#toast").getByText("walk.mp4: rejected.").waitFor();
    await touch.goto("/feed");
    await isReviewed(video);
    const late = { body: "Fewer colors", weight: "nit" };
    await desk.testServer.api("POST", `/assets/${video}/annotations`, late);

    const marked = [
      "1. [must] centre (x 60 %, y 50 %): Too dark",
      "2. [must] centre (x 50-55 %, y 50-54 %): Cut off",
      "3. [must] centre (path, x 45-55 %, y 44-54 %): Not smooth",
    ];
    const { annotations } = await desk.testServer.api<{ annotations: { target: object }[] }>(
      "GET",
      `/assets/${image}/annotations`,
    );
    expect(annotations.map(({ target }) => target)).toEqual(markedByKeyboard);
    const first = await agent.brief();
    for (const line of [...marked, "Wrong color"]) expect(first).toContain(line);
    expect(await agent.linesOf(image)).toEqual(marked);
    const second = {
      image: await agent.upload("map.png", noisyPng(800, 600), { replaces: image }),
      video: await agent.upload("walk.mp4", mp4({ duration: 5000 }), { replaces: video }),
    };
    for (const id of Object.values(second))
      await agent.call("svc_asset_annotate", { id, n: [1, 2, 3], state: "addressed" });

    await keyboard.goto(`/assets/${second.image}?issue=90`);
    const asked = keyboard.locator("#earlier-annotations .marks > .mark");
    const views = await asked
      .nth(1)
      .locator(".crop")
      .evaluateAll((crops) => crops.map((crop) => crop.getAttribute("viewBox")));
    expect([views, await keyboard.locator(".ghost").count()]).toEqual([
      ["162 120 96 72", "324 240 192 144"],
      4,
    ]);
    for (const left of [2, 1]) {
      await tabTo(keyboard, asked.nth(1).getByRole("button", { name: /^Mark as honored/ }));
      await keyboard.keyboard.press("Enter");
      await until(async () => (await asked.count()) === left, `${left} are left`);
    }
    await tabTo(keyboard, asked.getByRole("button", { name: /^Open again/ }));
    await keyboard.keyboard.press("Enter");
    await asked.getByText("reopened").waitFor();
    const next = must((await agent.brief()).split("\n").find((line) => line.startsWith("- ")));
    expect(next).toContain(
      "map.png, version 1: 1. [must] from v1, reopened, centre (x 60 %, y 50 %): Too dark<",
    );

    await touch.goto(`/assets/${second.video}?issue=90`);
    const onVideo = touch.locator("#earlier-annotations .marks > .mark");
    for (const left of [3, 2]) {
      await onVideo
        .first()
        .getByRole("button", { name: /^Mark as honored/ })
        .tap();
      await until(async () => (await onVideo.count()) === left, `${left} are left`);
    }
    await onVideo
      .first()
      .getByRole("button", { name: /^Open again/ })
      .tap();
    await onVideo.getByText("reopened").waitFor();
    const last = (await agent.brief()).split("\n").filter((line) => line.startsWith("- "));
    expect([last[0]?.includes("reopened"), last[0]?.includes("Wrong color")]).toEqual([true, true]);
    expect([last[1]?.includes("reopened"), last[1]?.includes("Too dark")]).toEqual([true, true]);

    await keyboard.goto("/projects/atlas/issues/90");
    const story = await keyboard.locator("#task-story").textContent();
    expect(story).toContain("7 changes requested, 4 honored, 1 ignored.");
    expect((await keyboard.locator(".requested-changes .status").allTextContents()).toSorted()).toEqual([
      ...Array(4).fill(" honored"),
      " ignored",
      ...Array(2).fill(" reopened"),
    ]);
    expect([...atDesk.faults, ...onPhone.faults]).toEqual([]);
  },
  120_000,
);
