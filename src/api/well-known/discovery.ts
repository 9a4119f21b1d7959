/**
 * Discovery documents: API catalog, AI catalog, MCP server cards, and the MCP registry's server.json.
 */

import type { Config } from "../../core/config.ts";
import type { DescriptionContext } from "../../core/context.ts";
import { paths } from "../../core/info.ts";
import { description, version } from "../../core/version.ts";
import { capabilities, protocolVersions } from "../mcp/server-info.ts";
import { documentedTools } from "../operations/index.ts";

/** Server name in the MCP registry's reverse-DNS form: `test.svc/svc`. */
const registryName = ({ siteUrl }: Config): string => `${hostOf(siteUrl).split(".").reverse().join(".")}/svc`;

const hostOf = (siteUrl: string): string =>
  new URL(siteUrl).hostname.replace(/[^A-Za-z0-9.-]/g, "") || "localhost";

/** API catalog (RFC 9727), as a linkset (RFC 9264). */
export const apiCatalog = ({ siteUrl }: Config) => ({
  linkset: [
    {
      anchor: siteUrl + paths.apiCatalog,
      item: [
        { href: `${siteUrl}${paths.api}/info`, type: "application/json", title: "svc API v1" },
        { href: siteUrl + paths.mcp, title: "svc MCP server" },
      ],
    },
    {
      anchor: siteUrl + paths.api,
      "service-desc": [{ href: siteUrl + paths.openapi, type: "application/json" }],
      "service-doc": [{ href: siteUrl + paths.docs, type: "text/html" }],
      "service-meta": [{ href: siteUrl + paths.protectedResource, type: "application/json" }],
      status: [{ href: siteUrl + paths.health, type: "application/json" }],
    },
    {
      anchor: siteUrl + paths.mcp,
      "service-desc": [{ href: siteUrl + paths.serverCard, type: "application/json" }],
      "service-doc": [{ href: siteUrl + paths.llms, type: "text/plain" }],
    },
  ],
});

const remote = (config: Config, more: object = {}) => ({
  type: "streamable-http",
  url: config.siteUrl + paths.mcp,
  ...more,
  headers: [
    {
      name: "Authorization",
      description: "Bearer token from an admin of this deployment. Required for writes and assets.",
      isRequired: !config.publicRead,
      isSecret: true,
      value: "Bearer {token}",
      variables: { token: { description: "Access token", isRequired: !config.publicRead, isSecret: true } },
    },
  ],
});

const identity = (config: Config) => ({
  name: registryName(config),
  title: "svc",
  description,
  version,
  websiteUrl: config.siteUrl,
});

/**
 * server.json of the MCP registry, schema 2025-12-11. Without `packages`: one would start a server with a
 * database of its own, not reach this one. The server.json of a release names them (cli/release/release.ts).
 */
export const serverJson = (config: Config) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  ...identity(config),
  remotes: [remote(config)],
});

/** MCP server card (SEP-2127). */
export const serverCard = (config: Config) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  ...identity(config),
  remotes: [remote(config, { supportedProtocolVersions: protocolVersions })],
});

/** Server card plus the fields of earlier proposals. */
export const extendedServerCard = (config: Config) => ({
  ...serverCard(config),
  serverInfo: { name: "svc", version },
  protocolVersion: protocolVersions[1],
  transport: { type: "streamable-http", endpoint: config.siteUrl + paths.mcp },
  capabilities,
});

/** AI Catalog 1.0; also valid as ARD. */
export function aiCatalog(site: DescriptionContext) {
  const { config } = site;
  const host = hostOf(config.siteUrl);
  const entry = (name: string, displayName: string, type: string, path: string, more: object) => ({
    identifier: `urn:air:${host}:${name}`,
    displayName,
    type,
    url: config.siteUrl + path,
    ...more,
  });
  return {
    specVersion: "1.0",
    host: { displayName: "svc", identifier: host, documentationUrl: config.siteUrl + paths.docs },
    entries: [
      entry("mcp:svc", "svc MCP server", "application/mcp-server-card+json", paths.mcpCard, {
        description,
        tags: ["projects", "memory", "assets"],
        capabilities: documentedTools(site).map((op) => op.tool.name),
        representativeQueries: [
          "what happened in project atlas this week",
          "what was decided about prices",
          "which assets are waiting for review",
        ],
      }),
      entry("skill:index", "svc agent skills", "application/agent-skills+json", paths.skills, {
        representativeQueries: [
          "how do I start a task with svc",
          "how do I upload a result",
          "how do I address a rejection",
        ],
      }),
      entry("api:v1", "svc JSON API", "application/openapi+json", paths.openapi, {
        representativeQueries: ["list recent events of a project", "get one asset with its versions"],
      }),
    ],
  };
}
