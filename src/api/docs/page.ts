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
import type { DocSlots } from "../../overview/context.ts";
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

/** Entries are dropped when a deprecation changes its state. */
const cachePerSite = <V>() =>
  perObject(
    (site: DocsSite) =>
      new Cache<string, Promise<V>>({
        max: 2 * entries.length,
        edition: () => deprecationEdition(site),
        bytesOf: boundedByCount,
      }),
  );

const cachedPage = cachePerSite<DocPage>();
const cachedList = cachePerSite<DocPage[]>();

/** Returns one page, without rendering the others: the API reference takes 0.1 s. */
export const docPage = (site: DocsSite, entry: DocEntry): Promise<DocPage> =>
  cachedPage(site).getOrMake(entry.name, () => renderPage(site, entry));

/** Returns all pages in order; the same list until a deprecation changes its state. */
export const docPages = (site: DocsSite): Promise<DocPage[]> =>
  cachedList(site).getOrMake("all", () => Promise.all(entries.map((entry) => docPage(site, entry))));

async function renderPage(site: DocsSite, entry: DocEntry): Promise<DocPage> {
  const slots: DocSlots = { ...factSlots(site), ...(await site.docSlots()) };
  const used = new Set(entry.text.match(slotPattern)?.map((slot) => slot.slice(1, -1)));
  const contents = new Map<string, string>();
  for (const name of used)
    if (Object.hasOwn(slots, name)) contents.set(name, await (slots[name] as DocSlots[string])());
  const markdown = entry.text.replace(slotPattern, (slot) => contents.get(slot.slice(1, -1)) ?? slot);
  return { ...entry, markdown };
}

/** `{site_url}`. Braces around a word that names no slot are text. */
const slotPattern = /\{\w+\}/g;

/** Moves every heading one level down, except in code blocks, to nest one document in another. */
export const nestHeadings = (markdown: string): string =>
  markdown
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 ? part : part.replace(/^#/gm, "##")))
    .join("");

/** `{#name}` in a heading or table cell sets its anchor and is not shown. */
export const anchorPattern = / ?\{#([\w-]+)\} ?/;
export const stripAnchors = (markdown: string): string => markdown.replace(/ ?\{#[\w-]+\}/g, "");

/** The slots for facts that are defined elsewhere in the code, such as `{configuration}`. */
function factSlots(site: DescriptionContext): DocSlots {
  const { config } = site;
  return {
    site_url: () => config.siteUrl,
    base_url: () => config.siteUrl + paths.api,
    mcp_url: () => config.siteUrl + paths.mcp,
    cursor_link: () => cursorLink(config.siteUrl),
    vscode_link: () => vscodeLink(config.siteUrl),
    version: () => version,
    contents: () =>
      chapters
        .map(
          ({ title, entries }) =>
            `## ${title}\n\n` +
            entries.map((entry) => `- [${entry.title}](${entry.path}): ${entry.description}`).join("\n"),
        )
        .join("\n\n"),
    rules: () =>
      describeService(config)
        .rules.map(({ n, title, body }) => `${n}. **${title}.** ${body}`)
        .join("\n"),
    task_flow: () =>
      (describeService(config).task_flow ?? [])
        .map(({ n, step, where, detail }) => `${n}. **${step}** (${where}). ${detail}`)
        .join("\n"),
    scopes: () =>
      table(
        ["Scope", "Grants"],
        Object.entries(scopes).map(([scope, { description }]) => [`\`${scope}\``, description]),
      ),
    roles: () =>
      table(
        ["Role", "For", "Scopes"],
        allRoles.map((role) => [`\`${role}\``, roles[role].description, codeList(roles[role].scopes)]),
      ),
    public_read: () => publicReadText(config),
    kinds: () => kindsText,
    configuration: () =>
      table(
        ["Variable", "Default", "Description"],
        Object.entries(variables).map(([name, variable]) => [
          `\`${name}\``,
          variable.defaultValue && `\`${variable.defaultValue}\``,
          variable.meaning,
        ]),
      ),
    tools: () =>
      table(
        ["Tool", "Scope", "Description"],
        documentedTools(site).map((op) => [
          `\`${op.tool.name}\``,
          op.scope === "public" ? "none" : `\`${op.scope}\``,
          op.summary,
        ]),
      ),
    telemetry_sources: () =>
      table(
        ["Source", "Tokens", "Cost", "Runs"],
        sourceRows.map(({ label, tokens, cost, runs }) => [label, tokens, cost, runs]),
      ),
    telemetry_records: () =>
      table(
        ["Source", "What is read"],
        sourceRows.map(({ label, sends }) => [label, sends]),
      ),
    telemetry_conventions: () => conventionLabels.map((label) => `- ${label}`).join("\n"),
    price_list: () => `genai-prices ${priceList.version} of ${priceList.date}`,
    stable_operations: () =>
      codeList(httpOperations.filter((op) => op.stable).map((op) => `${op.http.method} ${op.http.path}`)),
    stable_tools: () => codeList(toolOperations.filter((op) => op.stable).map((op) => op.tool.name)),
    notice_days: () => String(noticeDays),
    gone_days: () => String(goneDays),
    deprecations: () => deprecationsText(site),
    operations: () => operationsText(site),
    shapes: () => shapesText(site),
    limits: () => limitsText(config),
    errors: () =>
      table(
        ["Status", "When"],
        Object.entries(statuses).map(([status, [title, when]]) => [
          `{#error-${status}} ${status} ${title}`,
          when,
        ]),
      ),
  };
}

const publicReadText = ({ publicRead }: Config): string =>
  publicRead
    ? "On this deployment, reading the feed and memory needs no token."
    : "On this deployment, only `GET /info`, and `GET /search` in the documentation, work without a token.";

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
