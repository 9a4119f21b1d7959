/** Machine-readable documents, generated from the operations and the configuration: path → handler. */

import { allScopes } from "../../core/auth/scopes.ts";
import type { Config } from "../../core/config.ts";
import type { DescriptionContext } from "../../core/context.ts";
import {
  deprecationEdition,
  deprecationHeaders,
  findDeprecation,
  requireNotRetired,
} from "../../core/deprecation.ts";
import { paths } from "../../core/info.ts";
import { boundedByCount, Cache } from "../../core/lib/cache.ts";
import { etagMatches } from "../../core/lib/http/etag.ts";
import type { DocsSite } from "../docs/page.ts";
import { agentPlugin } from "../plugins/agent-plugin.ts";
import { archiveOf } from "../plugins/archive.ts";
import { codexMarketplace } from "../plugins/codex.ts";
import { geminiExtension } from "../plugins/gemini-cli.ts";
import { marketplace, pluginArchive } from "../plugins/marketplace.ts";
import { servedOpenCodePlugin } from "../plugins/opencode.ts";
import { hookScript } from "../plugins/plugin.ts";
import { aiCatalog, apiCatalog, extendedServerCard, serverCard, serverJson } from "./discovery.ts";

import { openapi } from "./openapi.ts";
import { listSkills, skillsIndex } from "./skills.ts";
import {
  authText,
  llmsFullText,
  llmsText,
  robotsText,
  securityExpiry,
  securityText,
  sitemap,
} from "./texts.ts";

type Content = string | Uint8Array<ArrayBuffer>;

interface Document extends DocumentOptions {
  make(): Content | Promise<Content>;
  /** Part of the cache key, for inputs other than deprecations and the configuration. */
  edition?(): string;
}

export function documentRoutes(site: DocsSite): Record<string, DocumentHandler> {
  const documents = Object.entries(listDocuments(site)).map(([path, { make, edition, ...options }]) => {
    const answer = documentHandler(make, () => deprecationEdition(site) + (edition?.() ?? ""), options);
    return [path, withDeprecation(site, path, answer)] as const;
  });
  return Object.fromEntries(documents);
}

function listDocuments(site: DocsSite): Record<string, Document> {
  const { config } = site;
  const skills = listSkills(config).map(({ path, text }) => [path, markdown(() => text)] as const);
  const catalogUrl = config.siteUrl + paths.apiCatalog;
  const catalogLink = `<${catalogUrl}>; rel="api-catalog"; type="application/linkset+json"`;
  return {
    [paths.openapi]: json(() => openapi(site)),
    [paths.protectedResource]: json(() => protectedResource(config, "", "svc API")),
    [paths.protectedResourceMcp]: json(() => protectedResource(config, paths.mcp, "svc MCP server")),
    [paths.apiCatalog]: { ...json(() => apiCatalog(config), linkset), headers: { link: catalogLink } },
    [paths.serverJson]: json(() => serverJson(config)),
    [paths.serverCard]: json(() => extendedServerCard(config)),
    [paths.mcpCard]: json(() => serverCard(config), "application/mcp-server-card+json"),
    [paths.aiCatalog]: json(() => aiCatalog(site), "application/ai-catalog+json"),
    [paths.ardCatalog]: json(() => aiCatalog(site), "application/ai-catalog+json"),
    [paths.skills]: json(() => skillsIndex(config)),
    ...Object.fromEntries(skills),
    [paths.hookScript]: { make: () => hookScript, type: "text/x-shellscript; charset=utf-8" },
    [paths.marketplace]: json(() => marketplace(config)),
    [paths.pluginArchive]: archive(() => pluginArchive(config)),
    [paths.geminiArchive]: archive(() => archiveOf(geminiExtension(config.siteUrl))),
    [paths.codexArchive]: archive(() => archiveOf(codexMarketplace(config.siteUrl))),
    [paths.openCodePlugin]: {
      make: () => servedOpenCodePlugin(config.siteUrl),
      type: "text/javascript; charset=utf-8",
    },
    [paths.agentPluginArchive]: archive(() => archiveOf(agentPlugin(config.siteUrl))),
    [paths.llms]: plain(() => llmsText(config)),
    [paths.llmsFull]: plain(() => llmsFullText(site)),
    [paths.auth]: markdown(() => authText(config)),
    [paths.robots]: plain(() => robotsText(config)),
    [paths.sitemap]: { make: () => sitemap(config), type: "application/xml" },
    [paths.security]: { ...plain(() => securityText(site)), edition: () => securityExpiry(site) },
  };
}

const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
const json = (make: () => unknown, type = "application/json"): Document => ({
  make: async () => JSON.stringify(await make()),
  type,
});
const archive = (make: Document["make"]): Document => ({ make, type: "application/zip" });
const plain = (make: Document["make"]): Document => ({ make, type: "text/plain; charset=utf-8" });
const markdown = (make: Document["make"]): Document => ({ make, type: "text/markdown; charset=utf-8" });

/** Adds deprecation headers to a deprecated file, and refuses it after its sunset. */
const withDeprecation =
  (site: DescriptionContext, path: string, answer: DocumentHandler): DocumentHandler =>
  async (request) => {
    const row = findDeprecation(site, "file", path);
    if (row === null) return answer(request);
    const fields = deprecationHeaders(row, paths.versioning, row.replacement);
    requireNotRetired(row, path, fields);
    const response = await answer(request);
    for (const [name, value] of Object.entries(fields)) response.headers.append(name, value);
    return response;
  };

/** Protected resource metadata (RFC 9728). Names no authorization server: admins create the tokens. */
const protectedResource = (config: Config, path: string, name: string) => ({
  resource: config.siteUrl + path,
  resource_name: name,
  scopes_supported: allScopes,
  bearer_methods_supported: ["header"],
  resource_documentation: `${config.siteUrl}${paths.docs}#authentication`,
});

/**
 * Request handlers for documents that are the same for every caller: generated on the first request, cached,
 * and served with an ETag for conditional requests (RFC 9110, section 13).
 */
type DocumentHandler = (request: Request) => Promise<Response>;

interface DocumentOptions {
  type: string;
  headers?: Record<string, string>;
}

/** @param edition the document is generated again when it changes */
function documentHandler(
  make: () => Content | Promise<Content>,
  edition: () => string,
  { type, headers: more = {} }: DocumentOptions,
): DocumentHandler {
  const cache = new Cache<"document", { content: Content; etag: string }>({
    max: 1,
    edition,
    bytesOf: boundedByCount,
  });
  const load = async () => {
    const content = await make();
    const digest = new Bun.CryptoHasher("sha256").update(content).digest("base64url");
    return { content, etag: `"${digest.slice(0, 27)}"` };
  };
  return async (request) => {
    const { etag, content } = await cache.getOrLoad("document", load);
    const headers = {
      etag,
      "content-type": type,
      "cache-control": "public, max-age=3600",
      vary: "Accept-Encoding",
      ...corsHeaders,
      "x-content-type-options": "nosniff",
      ...more,
    };
    return etagMatches(request.headers.get("if-none-match"), etag)
      ? new Response(null, { status: 304, headers })
      : new Response(content, { headers });
  };
}

const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag, Link, Deprecation, Sunset",
};

/** Answers the CORS preflight that a browser sends before a request with `If-None-Match`. */
export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: { allow: "GET, HEAD, OPTIONS", ...corsHeaders, "access-control-max-age": "86400" },
  });
