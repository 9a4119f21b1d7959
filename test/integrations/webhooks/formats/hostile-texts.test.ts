/** Whatever the text, each service accepts the message, shows the text, and mentions no one. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Event } from "../../../../src/feed/schema.ts";
import {
  type ChatReceiver,
  chatNames,
  serveChatServices,
} from "../../../support/chat-validators/receiver.ts";
import type { Library } from "../../../support/library.ts";
import { eventsAbout, messageOf, openChatLibrary, post } from "../../../support/webhooks/chat-events.ts";

/** Each has a word that must be shown. */
const texts: Record<string, string> = {
  plain: "Harbor map",
  long: `Harbor ${"very long ".repeat(600)}`,
  "one word without spaces": `Harbor${"x".repeat(5000)}`,
  emoji: `Harbor ${"👩‍👩‍👧‍👦🏳️‍🌈".repeat(400)}`,
  "right to left": `Harbor \u202eקשת בענן\u202c ${"مرفأ ".repeat(300)}`,
  "combining marks": `Harbor Z${"\u0300".repeat(3000)}algo`,
  "mentions of Slack": "Harbor <!channel> <!here> <@U123> <#C123|general> @here #general",
  "mentions of others": "Harbor @everyone @here @all @channel <@123456> <@&42> @ana_maria @someone",
  "HTML and entities": `Harbor <b>x</i><script> &amp;lt; &#60; &bogus; ${'<&>"'.repeat(900)}`,
  "Markdown and links": `Harbor [x](https://evil.example) **b** _i_ ~~s~~ \`c\` ||s|| ${"*_`[".repeat(900)}`,
  "lines and lists": `Harbor\n# Title\n> quote\n- item\n1. item\n\n\n${"\r\n".repeat(50)}end`,
  "control characters": "Harbor \u0000\u0007\u001b[31mred\u001b[0m\u2028\u2029\u200b\u00ad\ufeff end",
  "lone surrogates": "Harbor \ud83d \ude00 end",
  "JSON and headers": `Harbor "}],"text":"x" \\u0000 =?UTF-8?B?eA==?= \r\nX-Evil: 1 ${"\\".repeat(3000)}`,
};

/** Short enough to be shown whole. */
const markup = "Harbor &amp;lt; &#60; <b>x</b> *y* _z_ [a](b) ~c~ `d` # > |e| (f) 1. - + ! \\ end";

let library: Library;
let services: ChatReceiver;
const events = new Map<string, Event[]>();

beforeAll(async () => {
  library = await openChatLibrary();
  services = serveChatServices();
  for (const [name, text] of Object.entries(texts)) events.set(name, await eventsAbout(library, text));
});
afterAll(async () => {
  services[Symbol.dispose]();
  await library.close();
});

const eventsOf = (name: string): Event[] => events.get(name) as Event[];

async function expectTaken(name: (typeof chatNames)[number], covered: Event[]): Promise<string | null> {
  const message = await messageOf(library, name, covered);
  if (!message) return null;
  const before = services.taken.length;
  expect([name, covered[0]?.kind, await post(name, services.url(name), message)]).toEqual([
    name,
    covered[0]?.kind,
    "taken",
  ]);
  const taken = services.taken[before];
  expect(taken?.mentions).toEqual([]);
  return taken?.text ?? "";
}

describe.each(chatNames)("%s", (name) => {
  test.each(Object.keys(texts))("takes a message of each kind with %s", async (text) => {
    const kinds: string[] = [];
    const untold = new Set<string>();
    for (const event of eventsOf(text)) {
      const shown = await expectTaken(name, [event]);
      if (shown === null) {
        untold.add(event.kind);
        continue;
      }
      kinds.push(event.kind);
      expect([event.kind, shown]).toEqual([event.kind, expect.stringContaining("Harbor")]);
    }
    expect(new Set(kinds)).toEqual(
      new Set([
        ...["asset.uploaded", "asset.reviewed", "asset.published", "decision.captured"],
        ...["run.finished", "run.failed"],
        ...["review.requested", "review.overdue", "budget.reached", "webhook.paused"],
      ]),
    );
    // A chat is told of the verdict, not of each annotation.
    expect(untold).toEqual(new Set(["asset.uploaded", "asset.commented", "asset.addressed", "run.started"]));
  });

  test("shows markup as it was written", async () => {
    for (const event of await eventsAbout(library, markup)) {
      const shown = await expectTaken(name, [event]);
      if (shown !== null) expect(shown).toContain(markup);
    }
  });

  test("takes digests of all of them", async () => {
    for (const text of Object.keys(texts)) await expectTaken(name, eventsOf(text));
    expect(await expectTaken(name, [...events.values()].flat())).toContain("updates in atlas");
  });
});
