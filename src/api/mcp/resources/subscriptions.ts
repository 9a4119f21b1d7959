/** `subscriptions/listen` over HTTP (revision 2026-07-28): one request whose response is a stream. */
import { createMcpHandler, type Server } from "@modelcontextprotocol/server";
import { isStillAuthorized } from "../../../core/auth/authentication.ts";
import type { Caller } from "../../../core/auth/caller.ts";
import { Problem } from "../../../core/problem.ts";
import { enterParked } from "../../../library/review-requests/review-changes.ts";
import type { Context } from "../../context.ts";
import { AssetWatch, requestedUris, withUris } from "./asset-watch.ts";

/** Open subscriptions of one token. */
const openMax = 20;

interface Listener {
  caller: Caller;
  createServer(): Server;
}

/**
 * Opens a subscription. The library acknowledges it, and keeps the stream alive; the acknowledgment names
 * only assets that the caller may read. It ends when the token is revoked and when the process stops.
 * @throws {Problem} 429 if the token has too many
 */
export async function listen(
  ctx: Context,
  request: Request,
  body: unknown,
  { caller, createServer }: Listener,
): Promise<Response> {
  const leave = enterParked(ctx.feedNotifier, "subscriptions", caller, openMax);
  const uris = requestedUris(body);
  const updated: { send?: (uri: string) => void } = {};
  const watch = new AssetWatch(ctx, () => stillValid(ctx, caller), {
    onUpdate: (uri) => updated.send?.(uri),
    onEnd: () => void handler.close(),
  });
  const end = () => {
    leave();
    watch.close();
  };
  const handler = createMcpHandler(createServer, {
    legacy: "reject",
    bus: {
      publish() {},
      subscribe(listener) {
        updated.send = (uri) => listener({ kind: "resource_updated", uri });
        return end;
      },
    },
  });
  try {
    const parsedBody = uris ? withUris(body, await watch.add(uris)) : body;
    return await handler.fetch(request, { parsedBody });
  } finally {
    if (!updated.send) end(); // refused, or nothing to subscribe to
  }
}

async function stillValid(ctx: Context, caller: Caller): Promise<Caller> {
  if (await isStillAuthorized(caller, ctx)) return caller;
  throw new Problem(401, "This token is not valid. It was revoked or has expired.");
}
