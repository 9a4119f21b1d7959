/** The documents by which machines find the service, and what a schema finds wrong with one. */

import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { paths } from "../../../src/core/info.ts";

const ajv = addFormats(new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false }));

export const wrongBy = (schema: object, value: unknown): string[] => {
  const validate = ajv.compile(schema);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

export const documents: [path: string, type: RegExp][] = [
  [paths.openapi, /^application\/json$/],
  [paths.protectedResource, /^application\/json$/],
  [paths.protectedResourceMcp, /^application\/json$/],
  [paths.apiCatalog, /^application\/linkset\+json; profile="https:\/\/www\.rfc-editor\.org\/info\/rfc9727"$/],
  [paths.serverJson, /^application\/json$/],
  [paths.serverCard, /^application\/json$/],
  [paths.mcpCard, /^application\/mcp-server-card\+json$/],
  [paths.aiCatalog, /^application\/ai-catalog\+json$/],
  [paths.ardCatalog, /^application\/ai-catalog\+json$/],
  [paths.skills, /^application\/json$/],
  [paths.llms, /^text\/plain; charset=utf-8$/],
  [paths.llmsFull, /^text\/plain; charset=utf-8$/],
  [paths.auth, /^text\/markdown; charset=utf-8$/],
  [paths.robots, /^text\/plain; charset=utf-8$/],
  [paths.sitemap, /^application\/xml$/],
  [paths.security, /^text\/plain; charset=utf-8$/],
];
