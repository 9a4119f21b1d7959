/**
 * JSON Schemas of the public documents, taken from their specifications. What a specification leaves open is
 * not checked.
 */

const text = { type: "string", minLength: 1 };
const uri = { type: "string", format: "uri" };
const httpUrl = { type: "string", pattern: "^https?://[^\\s]+$" };
/** `namespace/name`, one slash. */
const registryName = {
  type: "string",
  minLength: 3,
  maxLength: 200,
  pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
};

/**
 * RFC 9264, section 4.2: `linkset` is the only member, every relation is an array, and extension attributes
 * are arrays of strings.
 */
export const linkset = {
  type: "object",
  required: ["linkset"],
  additionalProperties: false,
  properties: {
    linkset: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: { anchor: uri },
        additionalProperties: {
          type: "array",
          minItems: 1,
          items: {
            type: "object",
            required: ["href"],
            properties: {
              ...{ href: uri, type: text, media: text, title: text },
              hreflang: { type: "array", items: text },
              "title*": { type: "array" },
            },
            additionalProperties: { type: "array", items: text },
          },
        },
      },
    },
  },
};

/** RFC 9728, section 2: parameters without a value are omitted. */
export const protectedResource = {
  type: "object",
  required: ["resource"],
  properties: {
    resource: { ...uri, pattern: "^[^#?]+$" },
    authorization_servers: { type: "array", minItems: 1, items: uri },
    scopes_supported: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "string", pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$" },
    },
    bearer_methods_supported: { type: "array", items: { enum: ["header", "body", "query"] } },
    ...{ resource_name: text, resource_documentation: uri, resource_policy_uri: uri, resource_tos_uri: uri },
  },
};

const input = {
  description: text,
  value: text,
  isRequired: { type: "boolean" },
  isSecret: { type: "boolean" },
  default: text,
  choices: { type: "array", items: text },
  format: { enum: ["string", "number", "boolean", "filepath"] },
};

const remote = (more: object) => ({
  type: "object",
  required: ["type", "url"],
  additionalProperties: false,
  properties: {
    type: { enum: ["streamable-http", "sse"] },
    url: httpUrl,
    headers: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        additionalProperties: false,
        properties: {
          name: text,
          ...input,
          variables: {
            type: "object",
            additionalProperties: { type: "object", additionalProperties: false, properties: input },
          },
        },
      },
    },
    variables: { type: "object" },
    ...more,
  },
});

const identity = {
  name: registryName,
  title: { type: "string", minLength: 1, maxLength: 100 },
  description: { type: "string", minLength: 1, maxLength: 100 },
  // An exact version, not a range.
  version: { type: "string", maxLength: 255, pattern: "^\\d+\\.\\d+\\.\\d+" },
  websiteUrl: uri,
};

/** The MCP registry's server.json, schema 2025-12-11. */
export const serverJson = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  additionalProperties: false,
  properties: {
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
    ...identity,
    remotes: { type: "array", minItems: 1, items: remote({}) },
  },
};

/** MCP server card, SEP-2127. Additional properties are allowed. */
export const serverCard = {
  type: "object",
  required: ["$schema", "name", "description", "version"],
  properties: {
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json" },
    ...identity,
    remotes: {
      type: "array",
      minItems: 1,
      items: remote({ supportedProtocolVersions: { type: "array", minItems: 1, items: text } }),
    },
  },
};

/** What scanners in 2026 expect at the well-known path. */
export const hybridCard = {
  allOf: [serverCard],
  type: "object",
  required: ["serverInfo", "protocolVersion", "transport", "capabilities"],
  properties: {
    serverInfo: { type: "object", required: ["name", "version"] },
    transport: { type: "object", required: ["type", "endpoint"], properties: { endpoint: uri } },
    capabilities: { type: "object", required: ["tools"] },
  },
};

/** AI Catalog 1.0, and what ARD v0.91 readers also need: `displayName`, and two to five queries. */
export const aiCatalog = {
  type: "object",
  required: ["specVersion", "entries", "host"],
  properties: {
    specVersion: { type: "string", pattern: "^\\d+\\.\\d+$" },
    host: {
      type: "object",
      required: ["displayName"],
      properties: { displayName: text, identifier: text, documentationUrl: uri },
    },
    entries: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["identifier", "type", "displayName"],
        oneOf: [{ required: ["url"] }, { required: ["data"] }],
        properties: {
          identifier: {
            type: "string",
            pattern: "^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._:-]+)?:[a-zA-Z0-9._-]+$",
          },
          ...{
            type: text,
            displayName: text,
            description: text,
            url: uri,
            tags: { type: "array", items: text },
          },
          representativeQueries: { type: "array", minItems: 2, maxItems: 5, items: text },
          ...{ mediaType: false, metadata: false, trustManifest: false },
        },
      },
    },
  },
};

const skillName = { type: "string", maxLength: 64, pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" };
const skillDescription = { type: "string", minLength: 1, maxLength: 1024 };

/** Agent Skills Discovery 0.2.0. */
export const skillsIndex = {
  type: "object",
  required: ["$schema", "skills"],
  properties: {
    $schema: { const: "https://schemas.agentskills.io/discovery/0.2.0/schema.json" },
    skills: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["name", "type", "description", "url", "digest"],
        additionalProperties: false,
        properties: {
          ...{ name: skillName, description: skillDescription, url: { type: "string", pattern: "^/" } },
          ...{
            type: { enum: ["skill-md", "archive"] },
            digest: { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
          },
        },
      },
    },
  },
};

/** The front matter of a SKILL.md: every value is a string. */
export const skillFrontMatter = {
  type: "object",
  required: ["name", "description"],
  additionalProperties: false,
  properties: {
    ...{ name: skillName, description: skillDescription, license: text, "allowed-tools": text },
    compatibility: { type: "string", minLength: 1, maxLength: 500 },
    metadata: { type: "object", additionalProperties: { type: "string" } },
  },
};
