/** Plain texts: for language models, crawlers, and whoever found a weakness. */
import { scopes } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import type { DescriptionContext } from "../context.ts";
import { chapters, entries } from "../docs/contents.ts";
import { type Documented, deeper, docPages, withoutAnchors } from "../docs/page.ts";
import { describeService, paths } from "../info.ts";
import { dayMicros, fromMicros } from "../lib/time.ts";
import { description } from "../version.ts";
import { skillsOf } from "./skills.ts";

/** llmstxt.org: one title, a summary, then lists of links. */
export function llmsText(config: Config): string {
  const at = (path: string) => config.siteUrl + path;
  const limit = config.rateLimit
    ? `${config.rateLimit.quota} requests in ${config.rateLimit.seconds} seconds for each client.`
    : "No rate limit.";
  return `# svc

> ${description}

When to use it: before a task (what was decided, what failed), while you work (report runs, steps and decisions), and when you made something that a person has to see. Base URL: ${at(paths.api)}. MCP endpoint: ${at(paths.mcp)} (Streamable HTTP, stateless). Errors are RFC 9457 problem documents. ${limit}

${chapters.map(({ title, entries }) => `## ${title}\n\n${entries.map((one) => `- [${one.title}](${at(one.path)}.md): ${one.description}`).join("\n")}`).join("\n\n")}

## API

- [OpenAPI description](${at(paths.openapi)}): every operation, OpenAPI 3.1
- [API guide](${at(paths.docs)}): authentication, operations, limits, errors
- [API catalog](${at(paths.apiCatalog)}): a linkset of what is here

## Agents

- [MCP server card](${at(paths.serverCard)}): endpoint, headers, versions of the protocol
- [Agent skills](${at(paths.skills)}): start a task, upload a result, address a rejection
- [How to get a token](${at(paths.auth)}): who issues it, what it may do

## Optional

- [Full text](${at(paths.llmsFull)}): all of this in one file
`;
}

/** Every page of the documentation and every skill, one below the other. */
export async function llmsFullText(site: Documented): Promise<string> {
  const pages = (await docPages(site)).map(({ markdown, isAbridged }) =>
    withoutAnchors(isAbridged ? (markdown.split("\n## ", 1)[0] as string) : markdown),
  );
  const skills = skillsOf(site.config).map(({ text }) => text.split("---\n").slice(2).join("---\n"));
  return [`# svc\n\n> ${description}`, ...[...pages, ...skills].map((text) => deeper(text.trim()))].join(
    "\n\n",
  );
}

/** How a client without a login page gets a token; there is no authorization server to discover. */
export const authText = (config: Config): string => `# auth.md: how to get a token for svc

The operator of this deployment issues tokens on the machine that holds the database:

    svc token create NAME --scopes feed:read,memory:read

Send one as \`Authorization: Bearer TOKEN\`, never in an address. A request without one that needs it is answered 401 with the scope it lacks.
${config.publicRead ? "Reading the feed and memory needs no token here." : "Without a token only the description of the service can be read."}

Scopes:

${Object.entries(scopes)
  .map(([scope, grants]) => `- \`${scope}\`: ${grants}`)
  .join("\n")}

This is no OAuth server: there is no registration, no authorization endpoint and no refresh. Machine-readable: ${config.siteUrl}${paths.protectedResource}
`;

export const robotsText = ({ siteUrl }: Config): string => `User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Allow: /
Disallow: /api/
Disallow: /web/

Sitemap: ${siteUrl}/sitemap.xml
`;

export const sitemap = ({ siteUrl }: Config): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${["/methodology", ...entries.map((one) => one.path)].map((path) => `<url><loc>${siteUrl}${path}</loc></url>`).join("")}</urlset>\n`;

/**
 * RFC 9116: a time ahead, so that it is never over; it moves once a month, so that the text keeps its ETag
 * that long.
 */
export const securityEnd = ({ now }: Pick<DescriptionContext, "now">): string =>
  `${fromMicros(now() + 180 * dayMicros).slice(0, 7)}-01T00:00:00Z`;

export const securityText = (
  site: DescriptionContext,
): string => `Contact: ${describeService(site.config).links.docs}
Expires: ${securityEnd(site)}
Preferred-Languages: en
Canonical: ${site.config.siteUrl}${paths.security}
`;
