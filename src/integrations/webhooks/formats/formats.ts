/** The formats of webhooks by name. */
import type { FormatName } from "../schema.ts";
import type { Format } from "./format.ts";
import { discord } from "./services/discord.ts";
import { json } from "./services/json.ts";
import { mattermost } from "./services/mattermost.ts";
import { ntfy } from "./services/ntfy.ts";
import { slack } from "./services/slack.ts";
import { teams } from "./services/teams.ts";
import { telegram } from "./services/telegram.ts";

export const formats: Record<FormatName, Format> = {
  json,
  slack,
  discord,
  teams,
  mattermost,
  telegram,
  ntfy,
};
