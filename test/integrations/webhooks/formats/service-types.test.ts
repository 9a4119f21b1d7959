/** Our messages have the types that the services' own packages give them: the compiler checks. */
import { expect, test } from "bun:test";
import type { ApiMethods } from "@grammyjs/types";
import type { KnownBlock, MessageAttachment } from "@slack/types";
import type { RESTPostAPIWebhookWithTokenJSONBody } from "discord-api-types/v10";
import type { Digest } from "../../../../src/integrations/webhooks/formats/notices/notice.ts";
import { discordMessage } from "../../../../src/integrations/webhooks/formats/services/discord.ts";
import { slackMessage } from "../../../../src/integrations/webhooks/formats/services/slack.ts";
import { telegramMessage } from "../../../../src/integrations/webhooks/formats/services/telegram.ts";

type SlackMessage = { text: string; blocks: KnownBlock[]; attachments: MessageAttachment[] };
type TelegramMessage = Omit<Parameters<ApiMethods<never>["sendMessage"]>[0], "chat_id">;

test("messages are assignable to the types of Slack, Discord and Telegram", () => {
  const makers: [
    (digest: Digest) => SlackMessage,
    (digest: Digest) => RESTPostAPIWebhookWithTokenJSONBody,
    (digest: Digest) => TelegramMessage,
  ] = [slackMessage, discordMessage, telegramMessage];
  expect(makers).toHaveLength(3);
});
