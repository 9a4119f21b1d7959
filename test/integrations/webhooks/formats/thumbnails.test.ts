/** The image of a chat message is one that the service shows, at a URL that it can load. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { minuteMicros } from "../../../../src/core/lib/time.ts";
import type { Event } from "../../../../src/feed/schema.ts";
import type { Asset } from "../../../../src/library/assets/schema.ts";
import { noisyPng, png, pngChunk } from "../../../support/assets/media.ts";
import { imageFault } from "../../../support/chat-validators/images.ts";
import { type ChatName, chatNames, serveChatServices } from "../../../support/chat-validators/receiver.ts";
import { must } from "../../../support/conditions.ts";
import { file, type Library } from "../../../support/library.ts";
import {
  eventsAfter,
  messageOf,
  newestId,
  openChatLibrary,
  post,
} from "../../../support/webhooks/chat-events.ts";

const site = "https://svc.example.org";
let library: Library;
let asset: Asset;
let uploaded: Event[];
let uploadedPhoto: Event[];
const redIsTransparent = pngChunk("tRNS", Uint8Array.of(0, 255, 0, 0, 0, 0));

beforeAll(async () => {
  library = await openChatLibrary();
  const upload = async (title: string, png: Uint8Array) => {
    const before = await newestId(library);
    const { body } = await library.upload({ project: "atlas", title }, file("a.png", Buffer.from(png)));
    library.clock.advance(10 * minuteMicros);
    return { asset: body as Asset, events: await eventsAfter(library, before) };
  };
  ({ asset, events: uploaded } = await upload("Harbor", png(900, 700, { chunks: [redIsTransparent] })));
  ({ events: uploadedPhoto } = await upload("Photo", noisyPng(900, 700)));
});
afterAll(() => library.close());

const load = (url: string) => library.fetch(url.replace(site, "http://svc.test"));

/** The URL of the image in the message about an upload. */
async function imageUrl(name: ChatName, events = uploaded): Promise<string> {
  using services = serveChatServices();
  const message = must(await messageOf(library, name, events));
  expect(await post(name, services.url(name), message)).toBe("taken");
  return must(must(services.taken[0]).urls.find((url) => url.includes("/thumb/")));
}

describe.each(chatNames)("the image of a message on %s", (name) => {
  test("is one that the service shows, of at most 512 pixels", async () => {
    for (const [format, events] of [
      ["png", uploaded],
      ["jpeg", uploadedPhoto],
    ] as const) {
      const response = await load(await imageUrl(name, events));
      const bytes = await response.clone().bytes();
      expect(await imageFault(name, response)).toBeNull();
      expect(await new Bun.Image(bytes).metadata()).toMatchObject({ format, width: 512, height: 398 });
    }
  });
});

describe("the PNG of a thumbnail", () => {
  test("is made when it is first asked for, and kept", async () => {
    const url = await imageUrl("slack");
    const first = await load(url);
    expect(await library.keys()).toContain(`_variants/${asset.id}/thumb.png`);
    const { probe } = library.ctx;
    const again = await load(url);
    expect(probe.load()).toEqual({ running: 0, waiting: 0 });
    expect([again.headers.get("etag"), await again.bytes()]).toEqual([
      first.headers.get("etag"),
      await first.bytes(),
    ]);
  });

  test("is not what Slack refuses: the WebP of the pages", async () => {
    const url = (await imageUrl("slack")).replace("thumb.png", "thumb.webp");
    expect(await imageFault("slack", await load(url))).toBe("webp image");
  });

  test("goes with the file", async () => {
    const url = await imageUrl("slack");
    expect((await load(url.replace("thumb.png", "thumb.gif"))).status).toBe(403);
    await library.ctx.data.atomically((writes) => writes.changeAsset(asset.id, { key: null }));
    expect((await load(url)).status).toBe(404);
  });
});
