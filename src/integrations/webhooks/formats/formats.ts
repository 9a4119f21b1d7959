/** The formats of webhooks by name. */
import type { FormatName } from "../schema.ts";
import { chatFormat, type Format } from "./format.ts";
import { json } from "./json.ts";
import { chatNames } from "./services/chat-services.ts";

export const formats = {
  json,
  ...Object.fromEntries(chatNames.map((name) => [name, chatFormat(name)])),
} as Record<FormatName, Format>;
