/**
 * One message of each service, as it is sent. After a change that is meant, renew the files with
 * `UPDATE_GOLDEN=1 bun test test/integrations/webhooks/formats/golden.test.ts`, and look at the difference.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { adminCaller } from "../../../../src/core/auth/caller.ts";
import type { Event } from "../../../../src/feed/schema.ts";
import { reviewAsset } from "../../../../src/library/verdicts/review.ts";
import { chatNames, serveChatServices } from "../../../support/chat-validators/receiver.ts";
import type { Library } from "../../../support/library.ts";
import {
  eventsAfter,
  messageOf,
  newestId,
  openChatLibrary,
  post,
} from "../../../support/webhooks/chat-events.ts";

const id = "01J9ZC5W8Q4T3M2N1K0H7G6F5D";
let library: Library;
let rejection: Event[];

beforeAll(async () => {
  library = await openChatLibrary();
  library.clock.set("2026-03-01T12:00:00Z");
  await library.plant({ id, title: "Map of the harbor", has_thumb: true, issue: 12 });
  const before = await newestId(library);
  const note = "Too dark to print.\nUse the new depths.";
  await reviewAsset(library.ctx, { id, decision: "rejected", note }, { ...adminCaller, actor: "human:ana" });
  rejection = await eventsAfter(library, before);
});
afterAll(() => library.close());

describe.each(chatNames)("the rejection of an asset on %s", (name) => {
  test("is the message of the golden file, and is taken", async () => {
    library.clock.set("2026-03-01T12:00:00Z");
    const message = await messageOf(library, name, rejection);
    if (!message) throw new Error("no message");
    const { body, ...rest } = message;
    const shown = { ...rest, body: name === "ntfy" ? body : JSON.parse(body) };
    const path = join(import.meta.dir, "golden", `${name}.json`);
    if (process.env.UPDATE_GOLDEN) await Bun.write(path, `${JSON.stringify(shown, null, 2)}\n`);
    expect(shown).toEqual(await Bun.file(path).json());
    using services = serveChatServices();
    expect(await post(name, services.url(name), message)).toBe("taken");
  });
});
