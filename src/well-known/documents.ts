/** Documents for machines, made from the table of operations and the configuration: path → answer. */
import { allScopes } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import type { DescriptionContext } from "../context.ts";
import { deprecationFields, editionOf, requireServed, retiring } from "../deprecation.ts";

import type { Documented } from "../docs/page.ts";
import { paths } from "../info.ts";
import { aiCatalog, apiCatalog, hybridCard, serverCard, serverJson } from "./discovery.ts";
import { type Answer, type DocumentOptions, served } from "./document-route.ts";
import { openapi } from "./openapi.ts";
import { skillsIndex, skillsOf } from "./skills.ts";
import { authText, llmsFullText, llmsText, robotsText, securityEnd, securityText, sitemap } from "./texts.ts";

interface Document extends DocumentOptions {
  make(): string | Promise<string>;
  /** What it depends on besides deprecations and the configuration. */
  edition?(): string;
}

export function documentRoutes(site: Documented): Record<string, Answer> {
  const documents = Object.entries(documentsOf(site)).map(([path, { make, edition, ...options }]) => {
    const answer = served(make, () => editionOf(site) + (edition?.() ?? ""), options);
    return [path, announced(site, path, answer)] as const;
  });
  return Object.fromEntries(documents);
}

function documentsOf(site: Documented): Record<string, Document> {
  const { config } = site;
  const skills = skillsOf(config).map(({ path, text }) => [path, markdown(() => text)] as const);
  const catalogLink = `<${config.siteUrl}${paths.apiCatalog}>; rel="api-catalog"; type="application/linkset+json"`;
  return {
    [paths.openapi]: json(() => openapi(site)),
    [paths.protectedResource]: json(() => protectedResource(config, "", "svc API")),
    [paths.protectedResourceMcp]: json(() => protectedResource(config, paths.mcp, "svc MCP server")),
    [paths.apiCatalog]: { ...json(() => apiCatalog(config), linkset), headers: { link: catalogLink } },
    [paths.serverJson]: json(() => serverJson(config)),
    [paths.serverCard]: json(() => hybridCard(config)),
    [paths.mcpCard]: json(() => serverCard(config), "application/mcp-server-card+json"),
    [paths.aiCatalog]: json(() => aiCatalog(site), "application/ai-catalog+json"),
    [paths.ardCatalog]: json(() => aiCatalog(site), "application/ai-catalog+json"),
    [paths.skills]: json(() => skillsIndex(config)),
    ...Object.fromEntries(skills),
    [paths.llms]: plain(() => llmsText(config)),
    [paths.llmsFull]: plain(() => llmsFullText(site)),
    [paths.auth]: markdown(() => authText(config)),
    [paths.robots]: plain(() => robotsText(config)),
    [paths.sitemap]: { make: () => sitemap(config), type: "application/xml" },
    [paths.security]: { ...plain(() => securityText(site)), edition: () => securityEnd(site) },
  };
}

const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
const json = (make: () => unknown, type = "application/json"): Document => ({
  make: () => JSON.stringify(make()),
  type,
});
const plain = (make: Document["make"]): Document => ({ make, type: "text/plain; charset=utf-8" });
const markdown = (make: Document["make"]): Document => ({ make, type: "text/markdown; charset=utf-8" });

/** Says of a deprecated file that it is one, and refuses it once its time is over. */
const announced =
  (site: DescriptionContext, path: string, answer: Answer): Answer =>
  async (request) => {
    const row = retiring(site, "file", path);
    if (row === null) return answer(request);
    const fields = deprecationFields(row, row.replacement);
    requireServed(row, path, fields);
    const response = await answer(request);
    for (const [name, value] of Object.entries(fields)) response.headers.append(name, value);
    return response;
  };

/** RFC 9728. No authorization server exists, the operator mints the tokens; so none is named. */
const protectedResource = (config: Config, path: string, name: string) => ({
  resource: config.siteUrl + path,
  resource_name: name,
  scopes_supported: allScopes,
  bearer_methods_supported: ["header"],
  resource_documentation: `${config.siteUrl}${paths.docs}#authentication`,
});
