/** The stand-ins for the services refuse what the services refuse: each limit is broken once. */
import { afterAll, describe, expect, test } from "bun:test";
import { formats } from "../../../../src/integrations/webhooks/formats/formats.ts";
import type { Digest, Notice } from "../../../../src/integrations/webhooks/formats/notices/notice.ts";
import { discordMessage } from "../../../../src/integrations/webhooks/formats/services/discord.ts";
import { mattermostMessage } from "../../../../src/integrations/webhooks/formats/services/mattermost.ts";
import { slackMessage } from "../../../../src/integrations/webhooks/formats/services/slack.ts";
import { teamsCard } from "../../../../src/integrations/webhooks/formats/services/teams.ts";
import { telegramMessage } from "../../../../src/integrations/webhooks/formats/services/telegram.ts";
import { type ChatName, serveChatServices } from "../../../support/chat-validators/receiver.ts";

const services = serveChatServices();
afterAll(() => services[Symbol.dispose]());

const notice: Notice = {
  ...{ tone: "waiting", title: "Ready for review: Harbor map", facts: ["By agent:codex"], quote: "Look" },
  link: { label: "Open the review desk", url: "https://svc.example.org/assets/1" },
  image: { url: "https://svc.example.org/thumb.png", alt: "Harbor map" },
};
const digest: Digest = {
  ...{ project: "atlas", notices: [notice], moreCount: 0, urgency: "normal" },
  feedUrl: "https://svc.example.org/projects/atlas",
};
const slack = slackMessage(digest);
const discord = discordMessage(digest);
const mattermost = mattermostMessage(digest);
const telegram = telegramMessage(digest);
const card = teamsCard(digest);
const teams = (content: object) => ({
  type: "message",
  attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
});
const [embed] = discord.embeds;
const [attachment] = mattermost.attachments;
const markdown = (text: string) => ({
  type: "section",
  text: { type: "mrkdwn", text, verbatim: true },
});

/** Service, what is broken, the message, and the answer. */
const broken: [ChatName, string, unknown, number, string][] = [
  ["slack", "blocks", { ...slack, blocks: Array(51).fill(markdown("x")) }, 400, "invalid_blocks"],
  ["slack", "the text of a section", { blocks: [markdown("x".repeat(3001))] }, 400, "invalid_blocks"],
  ["slack", "an empty section", { blocks: [{ type: "section" }] }, 400, "invalid_blocks"],
  ["slack", "a block of another type", { blocks: [{ type: "embed" }] }, 400, "invalid_blocks"],
  [
    ...(["slack", "an image that cannot be loaded"] as const),
    { blocks: [{ type: "image", image_url: "https://a.example/x.webp", alt_text: "x" }] },
    ...([400, "invalid_blocks"] as const),
  ],
  ["slack", "no text", {}, 400, "no_text"],
  ["discord", "the content", { content: "x".repeat(2001) }, 400, "50035"],
  ["discord", "the title of an embed", { embeds: [{ title: "x".repeat(257) }] }, 400, "50035"],
  ["discord", "a description", { embeds: [{ description: "x".repeat(4097) }] }, 400, "50035"],
  [
    ...(["discord", "all embeds together"] as const),
    { embeds: [embed, ...Array(3).fill({ description: "x".repeat(2000) })] },
    ...([400, "6"] as const),
  ],
  ["discord", "the number of embeds", { embeds: Array(11).fill(embed) }, 400, "50035"],
  ["discord", "an image URL", { embeds: [{ ...embed, image: { url: "attachment" } }] }, 400, "50035"],
  ["teams", "the size", teams({ ...card, speak: "x".repeat(15_000) }), 413, "bytes"],
  ["teams", "an unknown element", teams({ ...card, body: [{ type: "Nope" }] }), 400, "Nope"],
  ["teams", "a link without its URL", teams({ ...card, actions: [{ type: "Action.OpenUrl" }] }), 400, "url"],
  ["teams", "a version that Teams does not have", teams({ ...card, version: "1.6" }), 400, "version"],
  ["teams", "a bare card", card, 400, "unknown field"],
  ["mattermost", "the text", { text: "x".repeat(16_384) }, 400, "characters"],
  ["mattermost", "attachments", { attachments: Array(60).fill(attachment) }, 400, "too long"],
  ["mattermost", "a color", { attachments: [{ ...attachment, color: "red-ish" }] }, 400, "color"],
  ["mattermost", "no text", {}, 400, "empty"],
  ["telegram", "the text", { ...telegram, text: "x".repeat(4097) }, 400, "too long"],
  ["telegram", "an open tag", { ...telegram, text: "<b>x" }, 400, "end tag"],
  ["telegram", "tags that cross", { ...telegram, text: "<b><i>x</b></i>" }, 400, "end tag"],
  ["telegram", "an unknown tag", { ...telegram, text: "<h1>x</h1>" }, 400, "unsupported"],
  ["telegram", "a bare less-than", { ...telegram, text: "1 < 2" }, 400, "unclosed"],
  ["telegram", "an empty text", { ...telegram, text: "<b></b>" }, 400, "empty"],
  ["ntfy", "the body", "x".repeat(4097), 400, "40014"],
];

const send = async (name: ChatName, body: string, headers: Record<string, string>) => {
  const response = await fetch(services.url(name), { method: "POST", body, headers });
  return { status: response.status, retryAfterMs: null, body: await response.text() };
};
const jsonType = { "content-type": "application/json" };

describe("the stand-in for", () => {
  test.each(broken)("%s refuses when the limit of %s is broken", async (name, _limit, body, status, text) => {
    const isText = typeof body === "string";
    const answer = isText
      ? await send(name, body, { title: "x" })
      : await send(name, JSON.stringify(body), jsonType);
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(text)]);
    expect(formats[name].outcome?.(answer)).toEqual({ ok: false });
  });

  test("each service takes what is not broken", async () => {
    const bodies = { slack, discord, mattermost, telegram, teams: teams(card) };
    for (const [name, body] of Object.entries(bodies)) {
      const answer = await send(name as ChatName, JSON.stringify(body), jsonType);
      expect([name, answer.status < 300]).toEqual([name, true]);
    }
    expect((await send("ntfy", "x", { title: "=?UTF-8?B?8J+RgA==?=" })).status).toBe(200);
    expect(services.taken.at(-1)?.text).toBe("👀\nx");
  });

  test("each service names the people that a message would notify", async () => {
    await send("slack", JSON.stringify({ text: "<!channel> hello" }), jsonType);
    await send("discord", JSON.stringify({ content: "@everyone hello" }), jsonType);
    await send("mattermost", JSON.stringify({ text: "hello @all" }), jsonType);
    await send("telegram", JSON.stringify({ ...telegram, text: "hello @ana_maria" }), jsonType);
    expect(services.taken.slice(-4).map(({ mentions }) => mentions)).toEqual([
      ["!channel"],
      ["@everyone"],
      ["@all"],
      ["@ana_maria"],
    ]);
  });
});
