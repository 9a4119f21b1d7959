/**
 * The content of the slots of the pages, such as `{configuration}`: facts that are defined elsewhere in the
 * code.
 */
import { scopes } from "../auth/scopes.ts";
import { type Config, variables } from "../config.ts";
import type { DescriptionContext } from "../context.ts";
import { goneDays, noticeDays, policyRows } from "../deprecation.ts";
import { ownKinds, reportableKinds } from "../feed/schema.ts";
import { describeService, paths } from "../info.ts";
import { httpOperations, listedTools, toolOperations } from "../operations/index.ts";
import { statuses } from "../problem.ts";
import { version } from "../version.ts";
import { chapters } from "./contents.ts";
import { operationsText, shapesText } from "./reference.ts";
import { table } from "./table.ts";

export function slotsOf(site: DescriptionContext, commandLine: string) {
  const { config } = site;
  const { rules, task_flow = [] } = describeService(config);
  return {
    site_url: config.siteUrl,
    base_url: config.siteUrl + paths.api,
    mcp_url: config.siteUrl + paths.mcp,
    version,
    contents: chapters
      .map(
        ({ title, entries }) =>
          `## ${title}\n\n${entries.map((one) => `- [${one.title}](${one.path}): ${one.description}`).join("\n")}`,
      )
      .join("\n\n"),
    rules: rules.map(({ n, title, body }) => `${n}. **${title}.** ${body}`).join("\n"),
    task_flow: task_flow
      .map(({ n, step, where, detail }) => `${n}. **${step}** (${where}). ${detail}`)
      .join("\n"),
    scopes: table(
      ["Scope", "Grants"],
      Object.entries(scopes).map(([scope, grants]) => [`\`${scope}\``, grants]),
    ),
    public_read: config.publicRead
      ? "On this deployment, reading the feed and memory needs no token."
      : "On this deployment, only `GET /info` works without a token.",
    kinds: kindsText,
    configuration: table(
      ["variable", "default", "meaning"],
      Object.entries(variables).map(([name, one]) => [
        `\`${name}\``,
        one.defaultValue && `\`${one.defaultValue}\``,
        one.meaning,
      ]),
    ),
    tools: table(
      ["Tool", "Scope", "Does"],
      listedTools(site).map((op) => [
        `\`${op.tool.name}\``,
        op.scope === "public" ? "none" : `\`${op.scope}\``,
        op.summary,
      ]),
    ),
    command_line: commandLine,
    stable_operations: listed(
      httpOperations.filter((op) => op.stable).map((op) => `${op.http.method} ${op.http.path}`),
    ),
    stable_tools: listed(toolOperations.filter((op) => op.stable).map((op) => op.tool.name)),
    notice_days: String(noticeDays),
    gone_days: String(goneDays),
    deprecations: deprecationsText(site),
    operations: operationsText(site),
    shapes: shapesText(site),
    limits: limitsText(config),
    errors: table(
      ["Status", "When"],
      Object.entries(statuses).map(([status, [title, when]]) => [
        `{#error-${status}} ${status} ${title}`,
        when,
      ]),
    ),
  };
}

const limitsText = ({ rateLimit, uploadBytesMax }: Config): string =>
  `${
    rateLimit
      ? `A client can send ${rateLimit.quota} requests in ${rateLimit.seconds} seconds. A client is a token or, without one, an IP address. Every response reports the remaining requests in \`RateLimit\` and \`RateLimit-Policy\`; above the limit, \`Retry-After\` says how long to wait.`
      : "This deployment has no rate limit."
  } A page holds at most 200 entries. A JSON body can have 1 MiB (a batch of events 4 MiB) and 32 levels of nesting, and a file ${uploadBytesMax} bytes.`;

function deprecationsText(site: DescriptionContext): string {
  const rows = policyRows(site).filter(({ standing }) => standing !== "removed");
  if (rows.length === 0) return "Nothing is deprecated today.";
  const day = (instant: string) => instant.slice(0, 10);
  return table(
    ["What", "Deprecated", "Sunset", "Instead", "Today"],
    rows.map((row) => [
      `${row.kind} \`${row.name}\``,
      day(row.deprecated),
      day(row.sunset),
      row.replacement ? `\`${row.replacement}\`` : "nothing",
      row.standing === "gone" ? "answers 410" : "works",
    ]),
  );
}

const listed = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");

const kindsText = [
  `Reported by agents, scripts, and GitHub: ${listed(reportableKinds)}.`,
  `Written only by svc itself: ${listed(ownKinds)}.`,
].join("\n\n");
