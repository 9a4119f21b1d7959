/** The server of the MCP library, with the error code of JSON-RPC for params that are not valid. */
import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;

/**
 * The library answers invalid params with "internal error" (-32603), except for `tools/call`. JSON-RPC 2.0,
 * section 5.1, has -32602 for them. It checks them synchronously, before it calls a handler, and the handlers
 * of svc fail by rejecting.
 */
export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    return super._wrapHandler(method, (request, ctx) => {
      try {
        return handler(request, ctx);
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        const message = `Invalid ${method} request: ${(error as Error).message}`;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
      }
    });
  }
}
