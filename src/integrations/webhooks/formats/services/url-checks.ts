/** Whether the URL of a new webhook is one of its service: people mix up formats and URLs. */
import type { FormatName } from "../../schema.ts";

type ChatName = Exclude<FormatName, "json">;

/** Hosts that belong to one service. The others can be run on any host. */
const hosts: [RegExp, ChatName, string][] = [
  [/^hooks\.slack(-gov)?\.com$/, "slack", "Slack"],
  [/(^|\.)discord(app)?\.com$/, "discord", "Discord"],
  [/\.(logic\.azure\.com|api\.powerplatform\.com)$/, "teams", "Teams"],
  [/^api\.telegram\.org$/, "telegram", "Telegram"],
  [/^ntfy\.sh$/, "ntfy", "ntfy"],
];

/** Discord takes Slack's messages at this path (https://discord.com/developers/docs/resources/webhook). */
const isSlackPathOfDiscord = (path: string): boolean => /^\/api\/webhooks\/\d+\/[^/]+\/slack$/.test(path);

/** Returns a check that refuses the URLs of other services, and those that do not match `path`. */
export function urlCheck(
  name: ChatName,
  path: RegExp,
  shape: string,
  rule: (url: URL) => string | null = () => null,
): (url: URL) => string | null {
  return (url) => {
    const [, owner, label] = hosts.find(([host]) => host.test(url.hostname)) ?? [];
    if (name === "slack" && owner === "discord" && isSlackPathOfDiscord(url.pathname)) return null;
    if (owner !== undefined && owner !== name)
      return `This is a URL of ${label}. Use format ${owner}, or the URL of the channel for format ${name}.`;
    if (!path.test(url.pathname)) return `Format ${name} needs a URL such as ${shape}.`;
    return rule(url);
  };
}

const anyPath = /^\/./;

export const checkSlackUrl = urlCheck(
  "slack",
  anyPath,
  "https://hooks.slack.com/services/T0123/B0123/abcdef",
  ({ hostname, pathname }) =>
    hostname.startsWith("hooks.slack") && !/^\/services\/T\w+\/B\w+\/\w+$/.test(pathname)
      ? "Slack needs the URL of an incoming webhook: https://hooks.slack.com/services/T0123/B0123/abcdef."
      : null,
);

export const checkDiscordUrl = urlCheck(
  "discord",
  /^\/api\/(v\d+\/)?webhooks\/\d+\/[\w-]+$/,
  "https://discord.com/api/webhooks/123456/abcdef",
);

export const checkTeamsUrl = urlCheck(
  "teams",
  anyPath,
  "https://prod-01.westeurope.logic.azure.com/workflows/…",
  ({ hostname }) =>
    /(^|\.)(webhook\.office|outlook\.office|outlook\.office365)\.com$/.test(hostname)
      ? "Microsoft has retired Office 365 connectors. Create a workflow in Teams and use its URL."
      : null,
);

export const checkMattermostUrl = urlCheck(
  "mattermost",
  /\/hooks\/[a-z0-9]+$/,
  "https://mattermost.example.com/hooks/abcdef",
);

export const checkTelegramUrl = urlCheck(
  "telegram",
  /^\/bot\d+:[\w-]+\/sendMessage$/,
  "https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>",
  ({ searchParams }) =>
    searchParams.get("chat_id")
      ? null
      : "Format telegram needs the chat in the URL: add ?chat_id= and the id of the chat or @channel.",
);

/** The pattern is that of the server (`topicPathRegex`). */
export const checkNtfyUrl = urlCheck("ntfy", /^\/[\w-]{1,64}$/, "https://ntfy.sh/<topic>");
