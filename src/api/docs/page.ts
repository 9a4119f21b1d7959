/**
 * The pages of the documentation for one deployment, with the slots for URLs and for facts from the code
 * filled in.
 */

import { allRoles, roles, scopes } from "../../core/auth/scopes.ts";
import { type Config, variables } from "../../core/config.ts";
import type { DescriptionContext } from "../../core/context.ts";
import { deprecationEdition, goneDays, listDeprecations, noticeDays } from "../../core/deprecation.ts";
import { describeService, paths } from "../../core/info.ts";
import { boundedByCount, Cache, perObject } from "../../core/lib/cache.ts";
import { statuses } from "../../core/problem.ts";
import { version } from "../../core/version.ts";
import { reportableKinds, serviceKinds } from "../../feed/kinds.ts";
import { conventionLabels, sourceRows } from "../../integrations/telemetry/map.ts";
import { priceList } from "../../integrations/telemetry/prices.ts";
import type { Context } from "../context.ts";
import { documentedTools, httpOperations, toolOperations } from "../operations/index.ts";
import { cursorLink, vscodeLink } from "../plugins/install-links.ts";
import { chapters, type DocEntry, entries } from "./contents.ts";
import { operationsText, shapesText, table } from "./reference.ts";

export interface DocPage extends DocEntry {
  markdown: string;
}

/** What the pages are generated from. */
export type DocsSite = DescriptionContext & Pick<Context, "docSlots">;

const cacheOf = perObject(
  (site: DocsSite) =>
    new Cache<"pages", Promise<DocPage[]>>({
      max: 1,
      edition: () => deprecationEdition(site),
      bytesOf: boundedByCount,
    }),
);

/** Returns all pages in order; cached until a deprecation changes its state. */
export const docPages = (site: DocsSite): Promise<DocPage[]> =>
  cacheOf(site).getOrMake("pages", () => renderPages(site));

async function renderPages(site: DocsSite): Promise<DocPage[]> {
  const slots: Record<string, string> = { ...slotValues(site), ...(await site.docSlots()) };
  const fillSlots = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) =>
      Object.hasOwn(slots, name) ? (slots[name] as string) : whole,
    );
  return entries.map((entry) => ({
    ...entry,
    description: fillSlots(entry.description),
    markdown: fillSlots(entry.text),
  }));
}

/** Moves every heading one level down, except in code blocks, to nest one document in another. */
export const nestHeadings = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 ? part : part.replace(/^#/gm, "##")))
    .join("");

/** `{#name}` in a heading or table cell sets its anchor and is not shown. */
export const anchorPattern = / ?\{#([\w-]+)\} ?/;
export const stripAnchors = (markdown: string): string => markdown.replace(/ ?\{#[\w-]+\}/g, "");

/**
 * The content of the slots in the pages, such as `{configuration}`: facts that are defined elsewhere in the
 * code.
 */
function slotValues(site: DescriptionContext) {
  const { config } = site;
  const { rules, task_flow = [] } = describeService(config);
  return {
    site_url: config.siteUrl,
    base_url: config.siteUrl + paths.api,
    mcp_url: config.siteUrl + paths.mcp,
    cursor_link: cursorLink(config.siteUrl),
    vscode_link: vscodeLink(config.siteUrl),
    version,
    contents: chapters
      .map(
        ({ title, entries }) =>
          `## ${title}\n\n` +
          entries.map((entry) => `- [${entry.title}](${entry.path}): ${entry.description}`).join("\n"),
      )
      .join("\n\n"),
    rules: rules.map(({ n, title, body }) => `${n}. **${title}.** ${body}`).join("\n"),
    task_flow: task_flow
      .map(({ n, step, where, detail }) => `${n}. **${step}** (${where}). ${detail}`)
      .join("\n"),
    scopes: table(
      ["Scope", "Grants"],
      Object.entries(scopes).map(([scope, { description }]) => [`\`${scope}\``, description]),
    ),
    roles: table(
      ["Role", "For", "Scopes"],
      allRoles.map((role) => [`\`${role}\``, roles[role].description, codeList(roles[role].scopes)]),
    ),
    public_read: config.publicRead
      ? "On this deployment, reading the feed and memory needs no token."
      : "On this deployment, only `GET /info`, and `GET /search` in the documentation, work without a token.",
    kinds: kindsText,
    configuration: table(
      ["Variable", "Default", "Description"],
      Object.entries(variables).map(([name, variable]) => [
        `\`${name}\``,
        variable.defaultValue && `\`${variable.defaultValue}\``,
        variable.meaning,
      ]),
    ),
    tools: table(
      ["Tool", "Scope", "Description"],
      documentedTools(site).map((op) => [
        `\`${op.tool.name}\``,
        op.scope === "public" ? "none" : `\`${op.scope}\``,
        op.summary,
      ]),
    ),
    telemetry_sources: table(
      ["Source", "Tokens", "Cost", "Runs"],
      sourceRows.map(({ label, tokens, cost, runs }) => [label, tokens, cost, runs]),
    ),
    telemetry_records: table(
      ["Source", "What is read"],
      sourceRows.map(({ label, sends }) => [label, sends]),
    ),
    telemetry_conventions: conventionLabels.map((label) => `- ${label}`).join("\n"),
    price_list: `genai-prices ${priceList.version} of ${priceList.date}`,
    stable_operations: codeList(
      httpOperations.filter((op) => op.stable).map((op) => `${op.http.method} ${op.http.path}`),
    ),
    stable_tools: codeList(toolOperations.filter((op) => op.stable).map((op) => op.tool.name)),
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
  [
    rateLimit
      ? `A client can send ${rateLimit.quota} requests in ${rateLimit.seconds} seconds. ` +
        "A client is a token or, without one, an IP address. Every response reports the remaining " +
        "requests in `RateLimit` and `RateLimit-Policy`; above the limit, `Retry-After` says how long " +
        "to wait."
      : "This deployment has no rate limit.",
    "A page holds at most 200 entries.",
    "A JSON body can have 1 MiB (a batch of events 4 MiB) and 32 levels of nesting, " +
      `and a file ${uploadBytesMax} bytes.`,
  ].join(" ");

function deprecationsText(site: DescriptionContext): string {
  const rows = listDeprecations(site).filter(({ state }) => state !== "removed");
  if (rows.length === 0) return "Nothing is deprecated.";
  const day = (instant: string) => instant.slice(0, 10);
  return table(
    ["Name", "Deprecated", "Sunset", "Replacement", "Status"],
    rows.map((row) => [
      `${row.kind} \`${row.name}\``,
      day(row.deprecated),
      day(row.sunset),
      row.replacement ? `\`${row.replacement}\`` : "none",
      row.state === "gone" ? "returns 410" : "works",
    ]),
  );
}

const codeList = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(", ");

const kindsText = [
  `Reported by agents, scripts, and incoming webhooks: ${codeList(reportableKinds)}.`,
  `Written only by svc itself: ${codeList(serviceKinds)}.`,
].join("\n\n");
