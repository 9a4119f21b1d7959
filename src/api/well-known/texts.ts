/** Plain-text documents: llms.txt, auth.md, robots.txt, sitemap.xml and security.txt. */
import { allRoles, roles, scopes } from "../../core/auth/scopes.ts";
import type { Config } from "../../core/config.ts";
import type { DescriptionContext } from "../../core/context.ts";
import { describeService, paths } from "../../core/info.ts";
import { dayMicros, fromMicros } from "../../core/lib/time.ts";
import { description } from "../../core/version.ts";
import { chapters, entries } from "../docs/contents.ts";
import { type DocsSite, docPages, nestHeadings, stripAnchors } from "../docs/page.ts";
import { listSkills } from "./skills.ts";

/** llms.txt (llmstxt.org): one title, a summary, then lists of links. */
export function llmsText(config: Config): string {
  const at = (path: string) => config.siteUrl + path;
  const limit = config.rateLimit
    ? `${config.rateLimit.quota} requests in ${config.rateLimit.seconds} seconds per client.`
    : "No rate limit.";
  const contents = chapters.map(({ title, entries }) => {
    const lines = entries.map((entry) => `- [${entry.title}](${at(entry.path)}.md): ${entry.description}`);
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return `# svc

> ${description}

When to use it: before a task (what was decided, what failed), while you work (report runs, steps and \
decisions), and when you have a result for a person to review. Base URL: ${at(paths.api)}. \
MCP endpoint: ${at(paths.mcp)} (Streamable HTTP, stateless). Errors are RFC 9457 problem documents. ${limit}

${contents.join("\n\n")}

## API

- [OpenAPI description](${at(paths.openapi)}): every operation, OpenAPI 3.1
- [API guide](${at(paths.docs)}): authentication, operations, limits, errors
- [API catalog](${at(paths.apiCatalog)}): a linkset of the API and its documents

## Agents

- [MCP server card](${at(paths.serverCard)}): endpoint, headers, protocol versions
- [Agent skills](${at(paths.skills)}): start a task, upload a result, address a rejection
- [How to get a token](${at(paths.auth)}): who creates it, what it allows

## Optional

- [Full text](${at(paths.llmsFull)}): every page and skill in one file
`;
}

/** llms-full.txt: every page of the documentation and every skill, concatenated. */
export async function llmsFullText(site: DocsSite): Promise<string> {
  const pages = (await docPages(site)).map(({ markdown }) => stripAnchors(markdown));
  const skills = listSkills(site.config).map(({ text }) => text.split("---\n").slice(2).join("---\n"));
  return [
    `# svc\n\n> ${description}`,
    ...[...pages, ...skills].map((text) => nestHeadings(text.trim())),
  ].join("\n\n");
}

/** auth.md: how a client gets a token, as there is no authorization server to discover. */
export const authText = (config: Config): string => `# auth.md: how to get a token for svc

An admin of this deployment creates tokens on a machine with access to the database:

    svc token create NAME --role agent

Send the token as \`Authorization: Bearer TOKEN\`, never in a URL. A request that requires a token and has \
none gets a 401 that names the required scope.
${
  config.publicRead
    ? "On this deployment, reading the feed and memory needs no token."
    : "Without a token, you can read only the description of the service and the documentation."
}

Scopes:

${Object.entries(scopes)
  .map(([scope, { description }]) => `- \`${scope}\`: ${description}`)
  .join("\n")}

Roles, which are sets of scopes:

${allRoles
  .map((role) => `- \`${role}\`: ${roles[role].description} (${roles[role].scopes.join(", ")})`)
  .join("\n")}

This is not an OAuth server: there is no registration, no authorization endpoint and no refresh. \
Machine-readable: ${config.siteUrl}${paths.protectedResource}
`;

export const robotsText = ({ siteUrl }: Config): string => `User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Allow: /
Disallow: /api/
Disallow: /web/

Sitemap: ${siteUrl}/sitemap.xml
`;

/** The sitemap of the public pages (sitemaps.org). */
export function sitemap({ siteUrl }: Config): string {
  const urls = ["/methodology", ...entries.map(({ path }) => path)].map(
    (path) => `<url><loc>${siteUrl}${path}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>
`;
}

/**
 * `Expires` of security.txt (RFC 9116): always five to six months ahead. Changes once a month, so that the
 * ETag stays the same in between.
 */
export const securityExpiry = ({ now }: Pick<DescriptionContext, "now">): string =>
  `${fromMicros(now() + 180 * dayMicros).slice(0, 7)}-01T00:00:00Z`;

export const securityText = (
  site: DescriptionContext,
): string => `Contact: ${describeService(site.config).links.docs}
Expires: ${securityExpiry(site)}
Preferred-Languages: en
Canonical: ${site.config.siteUrl}${paths.security}
`;
