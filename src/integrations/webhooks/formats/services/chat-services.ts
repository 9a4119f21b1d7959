/** The chat services: a file and a line each. */

import type { ChatService } from "./chat-service.ts";
import { discord } from "./discord.ts";
import { mattermost } from "./mattermost.ts";
import { ntfy } from "./ntfy.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";

export const chatServices = { slack, discord, teams, mattermost, telegram, ntfy } satisfies Record<
  string,
  ChatService
>;

export type ChatName = keyof typeof chatServices;
export const chatNames = Object.keys(chatServices) as ChatName[];
