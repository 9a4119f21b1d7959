/** Documents for machines, made from the table of operations and the configuration: path → answer. */
import { allScopes } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import { paths } from "../info.ts";
import { aiCatalog, apiCatalog, hybridCard, serverCard, serverJson } from "./discovery.ts";
import { openapi } from "./openapi.ts";
import { type Answer, json, plain } from "./served.ts";
import { skillsIndex, skillsOf } from "./skills.ts";
import { authText, llmsFullText, llmsText, robotsText, securityText, sitemap } from "./texts.ts";

const linkset = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
const markdown = "text/markdown; charset=utf-8";

type Documented = Pick<Context, "config" | "commandLine" | "now">;

export const documentRoutes = ({ config, commandLine, now }: Documented): Record<string, Answer> => ({
  [paths.openapi]: json(() => openapi(config)),
  [paths.protectedResource]: json(() => protectedResource(config, "", "svc API")),
  [paths.protectedResourceMcp]: json(() => protectedResource(config, paths.mcp, "svc MCP server")),
  [paths.apiCatalog]: json(() => apiCatalog(config), linkset, {
    link: `<${config.siteUrl}${paths.apiCatalog}>; rel="api-catalog"; type="application/linkset+json"`,
  }),
  [paths.serverJson]: json(() => serverJson(config)),
  [paths.serverCard]: json(() => hybridCard(config)),
  [paths.mcpCard]: json(() => serverCard(config), "application/mcp-server-card+json"),
  [paths.aiCatalog]: json(() => aiCatalog(config), "application/ai-catalog+json"),
  [paths.skills]: json(() => skillsIndex(config)),
  ...Object.fromEntries(skillsOf(config).map(({ path, text }) => [path, plain(() => text, markdown)])),
  [paths.llms]: plain(() => llmsText(config)),
  [paths.llmsFull]: plain(() => llmsFullText({ config, commandLine })),
  [paths.auth]: plain(() => authText(config), markdown),
  [paths.robots]: plain(() => robotsText(config)),
  [paths.sitemap]: plain(() => sitemap(config), "application/xml"),
  [paths.security]: plain(() => securityText(config, now())),
});

/** RFC 9728. No authorization server exists, the operator mints the tokens; so none is named. */
const protectedResource = (config: Config, path: string, name: string) => ({
  resource: config.siteUrl + path,
  resource_name: name,
  scopes_supported: allScopes,
  bearer_methods_supported: ["header"],
  resource_documentation: `${config.siteUrl}${paths.docs}#authentication`,
});
