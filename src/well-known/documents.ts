/** Documents for machines, made from the table of operations and the configuration. */
import { allScopes } from "../auth/scopes.ts";
import type { Config } from "../config.ts";
import { paths } from "../info.ts";
import { openapi } from "./openapi.ts";

type Documents = Record<string, (request: Request) => Response>;

export const documentRoutes = (config: Config): Documents => ({
  [paths.openapi]: json(() => openapi(config)),
  [paths.protectedResource]: json(() => protectedResource(config, "", "svc API")),
  [paths.protectedResourceMcp]: json(() => protectedResource(config, paths.mcp, "svc MCP server")),
});

/** RFC 9728. No authorization server exists, the operator mints the tokens; so none is named. */
const protectedResource = (config: Config, path: string, name: string) => ({
  resource: config.siteUrl + path,
  resource_name: name,
  scopes_supported: allScopes,
  bearer_methods_supported: ["header"],
  resource_documentation: `${config.siteUrl}${paths.docs}#authentication`,
});

/** A document that is made once, when it is first asked for, and is the same for everybody. */
function json(make: () => unknown): (request: Request) => Response {
  let made: { text: string; etag: string } | undefined;
  return (request) => {
    if (!made) {
      const text = JSON.stringify(make());
      made = { text, etag: `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 27)}"` };
    }
    const headers = {
      etag: made.etag,
      "content-type": "application/json",
      "cache-control": "public, max-age=3600",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "ETag",
      "x-content-type-options": "nosniff",
    };
    const known = request.headers
      .get("if-none-match")
      ?.split(",")
      .some((tag) => tag.trim().replace(/^W\//, "") === made?.etag);
    return known ? new Response(null, { status: 304, headers }) : new Response(made.text, { headers });
  };
}
