/** The image of a chat message is one that the service shows, at a URL that it can load. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { minuteMicros } from "../../../../src/core/lib/time.ts";
import type { Event } from "../../../../src/feed/schema.ts";
import type { Asset } from "../../../../src/library/assets/schema.ts";
import { noisyPng } from "../../../support/assets/media.ts";
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

beforeAll(async () => {
  library = await openChatLibrary();
  const before = await newestId(library);
  const photo = file("photo.png", Buffer.from(noisyPng(900, 700)));
  asset = (await library.upload({ project: "atlas", title: "Harbor" }, photo)).body;
  uploaded = await eventsAfter(library, before);
  library.clock.advance(10 * minuteMicros);
});
afterAll(() => library.close());

const load = (url: string) => library.fetch(url.replace(site, "http://svc.test"));

/** The URL of the image in the message about the upload. */
async function imageUrl(name: ChatName): Promise<string> {
  using services = serveChatServices();
  const message = must(await messageOf(library, name, uploaded));
  expect(await post(name, services.url(name), message)).toBe("taken");
  return must(must(services.taken[0]).urls.find((url) => url.includes("/thumb/")));
}

describe.each(chatNames)("the image of a message on %s", (name) => {
  test("is one that the service shows, of at most 512 pixels", async () => {
    const response = await load(await imageUrl(name));
    const bytes = await response.clone().bytes();
    expect(await imageFault(name, response)).toBeNull();
    expect(await new Bun.Image(bytes).metadata()).toMatchObject({ format: "png", width: 512, height: 398 });
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
    expect((await load(url.replace("thumb.png", "thumb.jpg"))).status).toBe(403);
    await library.ctx.data.atomically((writes) => writes.changeAsset(asset.id, { key: null }));
    expect((await load(url)).status).toBe(404);
  });
});
