/** One MCP server for one caller, of either era of the protocol; the transports ask for one. */
import { Server } from "@modelcontextprotocol/server";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { editionOf } from "../deprecation.ts";
import { capabilities } from "../info.ts";
import { dataTagRule } from "../lib/data-tags.ts";
import { description, version } from "../version.ts";
import { complete } from "./completion.ts";
import { getPrompt, prompts } from "./prompts.ts";
import type { StandFor } from "./raw-schemas.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";
import { protocolError } from "./tool-errors.ts";
import { callTool, describeTools, type Who } from "./tools.ts";

/** Nothing of it changes while the server runs, and nothing of it depends on who asks. */
const sameForAll = { ttlMs: 300_000, cacheScope: "public" } as const;

const instructions = [
  description,
  "Before a task: svc_brief with the project and what you intend, svc_guidance for your model, svc_recall where a question may have been answered before. While you work: svc_decide what the next attempt must know. What you made beside code: svc_asset_request_upload, then svc_asset_finalize.",
  "A tool without its scope says which scope it needs.",
  dataTagRule,
].join(" ");

/** The handshake needs nothing of the context, so it is answered while that is opened. */
export function mcpServers(opening: Context | Promise<Context>): (who: Who, standFor: StandFor) => Server {
  let listed: { edition: string; tools: ReturnType<typeof describeTools> } | undefined;
  /** Described once, and again when one of them has come to its end. */
  const tools = (ctx: Context) => {
    const edition = editionOf(ctx);
    if (listed?.edition !== edition) listed = { edition, tools: describeTools(ctx) };
    return listed.tools;
  };
  return (who, standFor) => {
    const server = new Server(
      { name: "svc", title: "svc", version },
      {
        capabilities,
        instructions,
        cacheHints: {
          "server/discover": sameForAll,
          "tools/list": sameForAll,
          "prompts/list": sameForAll,
          "resources/templates/list": sameForAll,
        },
      },
    );
    server.setRequestHandler("tools/list", async () => ({ tools: tools(await opening) }));
    server.setRequestHandler("tools/call", async ({ params }) =>
      callTool(await opening, who, params, standFor),
    );
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
    server.setRequestHandler("prompts/list", () => ({ prompts }));
    server.setRequestHandler("resources/list", ({ method, params }) =>
      guarded(method, who, (ctx, caller) => listResources(ctx, caller, params?.cursor)),
    );
    server.setRequestHandler("resources/read", ({ method, params }) =>
      guarded(method, who, (ctx, caller) => readResource(ctx, caller, params.uri)),
    );
    server.setRequestHandler("prompts/get", ({ method, params }) =>
      guarded(method, who, (ctx, caller) => getPrompt(ctx, caller, params.name, params.arguments ?? {})),
    );
    server.setRequestHandler("completion/complete", ({ method, params }) =>
      guarded(method, who, (ctx, caller) => complete(ctx, caller, params)),
    );
    return server;
  };

  async function guarded<T>(
    what: string,
    who: Who,
    work: (ctx: Context, caller: Caller) => Promise<T>,
  ): Promise<T> {
    const ctx = await opening;
    let caller: Caller | null = null;
    try {
      caller = await who();
      return await work(ctx, caller);
    } catch (error) {
      throw protocolError(ctx, error, what, caller);
    }
  }
}
