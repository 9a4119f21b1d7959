/** MCP over stdio, as served by `svc mcp`: one JSON-RPC message per line. */
import { ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Context } from "../../context.ts";
import { AssetWatch, requestedUris, withUris } from "../resources/asset-watch.ts";
import { mcpServers } from "../server.ts";
import type { Era } from "../tools/call-era.ts";
import { clientNameOf, takesStructuredContent } from "../tools/describe-tools.ts";
import { answerDirectly, findDirectCall } from "../tools/direct-calls.ts";
import type { ResolveCaller } from "../tools/tools.ts";
import type { Handshake } from "./handshake.ts";
import { type DirectAnswer, LineTransport } from "./line-transport.ts";
import type { LineStreams } from "./lines.ts";

/**
 * Serves until the input ends and every request is answered. @throws Problem 503 if that takes over 10
 * seconds
 */
export async function serveMcpLines(
  opening: Promise<Context>,
  resolveCaller: ResolveCaller,
  { input, write, answered = null }: LineStreams & Partial<Handshake>,
): Promise<void> {
  const createServer = mcpServers(opening);
  let current: Server | undefined;
  const watching = opening.then((ctx) => {
    const onUpdate = (uri: string) => void current?.sendResourceUpdated({ uri }).catch(() => {});
    return new AssetWatch(ctx, resolveCaller, { onUpdate, onEnd() {} });
  });
  watching.catch(() => {}); // requests report that the database cannot be opened
  const direct = directCalls(opening, resolveCaller);
  const transport = new LineTransport(write, {
    answerDirectly: direct.answer,
    async narrowListen(message) {
      const uris = requestedUris(message);
      return uris ? withUris(message, await (await watching).add(uris)) : message;
    },
    answered,
  });
  const createStdioServer = ({ era }: { era: Era }): Server => {
    direct.setEra(era);
    current = createServer(resolveCaller, {
      takesSubscriptions: true,
      isStructured: direct.isStructured,
    });
    if (era === "legacy") handleSubscriptions(current, watching);
    return current;
  };
  serveStdio(createStdioServer, { transport });
  // A client that waits for a review through a closed input is gone.
  await transport.read(input, async () => (await opening).feedNotifier.close());
  (await watching.catch(() => null))?.close();
}

/** Revisions up to 2025-11-25 subscribe to each resource; the library handles `subscriptions/listen`. */
function handleSubscriptions(server: Server, watching: Promise<AssetWatch>): void {
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    if ((await (await watching).add([uri])).length === 0)
      throw new ResourceNotFoundError(uri, `Cannot subscribe to ${uri}. Subscribe to svc://assets/<id>.`);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    (await watching).remove(uri);
    return {};
  });
}

/**
 * Answers direct calls of one connection. The library decides the era of a connection by its first requests,
 * so it also gets the first call.
 */
function directCalls(opening: Promise<Context>, resolveCaller: ResolveCaller) {
  let ctx: Context | undefined;
  let era: Era | undefined;
  let isDecided = false;
  let client: string | undefined;
  const isStructured = () => takesStructuredContent(client);
  opening.then(
    (opened) => (ctx = opened),
    () => {}, // requests report it
  );
  return {
    isStructured,
    setEra(chosen: Era) {
      era = chosen;
    },
    answer(message: unknown): DirectAnswer | null {
      client = clientNameOf(message) ?? client;
      const call = ctx && findDirectCall(ctx, message);
      if (!ctx || !call || call.era !== era) return null;
      if (isDecided) return { id: call.id, line: answerDirectly(ctx, call, resolveCaller, isStructured()) };
      isDecided = true;
      return null;
    },
  };
}
