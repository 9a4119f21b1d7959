/** Cancellation and progress of a tool call, over any transport. */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { RequestControl } from "../../../core/context.ts";
import { findTool } from "./tools.ts";

/**
 * The control of a request.
 * @param connection aborted when the client disconnects, on transports where the library does not notice
 */
export function requestControl({ mcpReq }: ServerContext, connection?: AbortSignal): RequestControl {
  const { signal, _meta } = mcpReq;
  const progressToken = _meta?.progressToken;
  return {
    signal: connection ? AbortSignal.any([signal, connection]) : signal,
    ...(progressToken !== undefined && {
      reportProgress(progress, total, message) {
        const params = { progressToken, progress, total, message };
        // a client that is gone hears nothing more
        mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
      },
    }),
  };
}

/** Whether a message calls a tool that reports progress, and its client listens for it. */
export function wantsProgress(accept: string | null, body: unknown): boolean {
  const { method, params } = body as { method?: unknown; params?: Record<string, unknown> };
  const { name, _meta } = params ?? {};
  return (
    method === "tools/call" &&
    (_meta as { progressToken?: unknown } | undefined)?.progressToken !== undefined &&
    findTool(String(name))?.tool.reportsProgress === true &&
    /\btext\/event-stream\b/.test(accept ?? "")
  );
}
