/** The formats of webhooks by name. */
import type { FormatName } from "../schema.ts";
import { chatFormat } from "./chat-format.ts";
import type { Format } from "./format.ts";
import { layoutDiscord } from "./services/discord.ts";
import { json } from "./services/json.ts";
import { layoutMattermost } from "./services/mattermost.ts";
import { layoutNtfy } from "./services/ntfy.ts";
import * as outcomes from "./services/outcomes.ts";
import { layoutSlack } from "./services/slack.ts";
import { layoutTeams } from "./services/teams.ts";
import { layoutTelegram } from "./services/telegram.ts";
import * as urls from "./services/url-checks.ts";

export const formats: Record<FormatName, Format> = {
  json,
  slack: chatFormat({
    label: "Slack",
    checkUrl: urls.checkSlackUrl,
    layout: layoutSlack,
    outcome: outcomes.slackOutcome,
  }),
  discord: chatFormat({
    label: "Discord",
    checkUrl: urls.checkDiscordUrl,
    layout: layoutDiscord,
    outcome: outcomes.discordOutcome,
  }),
  teams: chatFormat({
    label: "Microsoft Teams",
    checkUrl: urls.checkTeamsUrl,
    layout: layoutTeams,
    outcome: outcomes.teamsOutcome,
  }),
  mattermost: chatFormat({
    label: "Mattermost",
    checkUrl: urls.checkMattermostUrl,
    layout: layoutMattermost,
    outcome: outcomes.mattermostOutcome,
  }),
  telegram: chatFormat({
    label: "Telegram",
    checkUrl: urls.checkTelegramUrl,
    layout: layoutTelegram,
    outcome: outcomes.telegramOutcome,
  }),
  ntfy: chatFormat({
    label: "ntfy",
    checkUrl: urls.checkNtfyUrl,
    layout: layoutNtfy,
    outcome: outcomes.ntfyOutcome,
  }),
};
