/** MCP over stdio, as served by `svc mcp`: one JSON-RPC message per line. */
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  ResourceNotFoundError,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Context } from "../context.ts";
import { parseJson } from "../lib/http/request-body.ts";
import { unavailable } from "../problem.ts";
import { AssetWatch, requestedUris, withUris } from "./asset-watch.ts";
import { dropNulls } from "./null-arguments.ts";
import { insertRawJson, serializeMessage } from "./raw-json.ts";
import { mcpServers } from "./server.ts";
import type { ResolveCaller } from "./tools.ts";

/** Longer lines are skipped and refused; no tool takes input of that size. */
const lineBytesMax = 8 * 2 ** 20;
/** How long to wait for pending responses after the input has ended. */
const drainMs = 10_000;

export interface LineStreams {
  input: AsyncIterable<Uint8Array>;
  /** Resolves when the line has been written. */
  write(line: string): Promise<void>;
}

/**
 * Serves until the input ends and every request is answered. @throws Problem 503 if that takes over 10
 * seconds
 */
export async function serveMcpLines(
  opening: Promise<Context>,
  resolveCaller: ResolveCaller,
  { input, write }: LineStreams,
): Promise<void> {
  const createServer = mcpServers(opening);
  let current: Server | undefined;
  const watching = opening.then((ctx) => {
    const onUpdate = (uri: string) => void current?.sendResourceUpdated({ uri }).catch(() => {});
    return new AssetWatch(ctx, resolveCaller, { onUpdate, onEnd() {} });
  });
  watching.catch(() => {}); // requests report that the database cannot be opened
  const transport = new LineTransport(write, async (message) => {
    const uris = requestedUris(message);
    return uris ? withUris(message, await (await watching).add(uris)) : message;
  });
  const createStdioServer = ({ era }: { era: "legacy" | "modern" }): Server => {
    current = createServer(resolveCaller, insertRawJson, { takesSubscriptions: true });
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

class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Requests without a response yet. */
  readonly #pending = new Set<RequestId>();
  #allAnswered = Promise.withResolvers<void>();
  readonly #write: LineStreams["write"];

  /** @param narrowListen rewrites a `subscriptions/listen` message before the library handles it */
  constructor(
    write: LineStreams["write"],
    readonly narrowListen: (message: JSONRPCMessage) => Promise<unknown>,
  ) {
    this.#write = write;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(serializeMessage(message));
    } finally {
      if (!("method" in message) && message.id !== undefined) this.#settle(message.id);
    }
  }

  /** @param onInputEnd ends the requests that wait */
  async read(input: LineStreams["input"], onInputEnd: () => Promise<void>): Promise<void> {
    for await (const line of readLines(input)) await this.#receive(line);
    await onInputEnd();
    if (this.#pending.size > 0) await Promise.race([this.#allAnswered.promise, Bun.sleep(drainMs)]);
    if (this.#pending.size > 0)
      throw unavailable(
        `The input ended, and ${this.#pending.size} requests were not answered within ` +
          `${drainMs / 1000} seconds.`,
      );
    await this.close();
  }

  async #receive(line: Uint8Array | null): Promise<void> {
    let value: unknown;
    let message: JSONRPCMessage;
    try {
      if (line === null) throw new Error(`The line is longer than ${lineBytesMax} bytes.`);
      value = parseJson(line);
      dropNulls(value);
      message = parseJSONRPCMessage(value);
    } catch (error) {
      return this.#sendError(value, error as Error);
    }
    // A valid message: parsed above, and the library checks it again.
    if ("method" in message && message.method === "subscriptions/listen")
      return this.#listen(message as JSONRPCMessage); // stays open, so it is not pending
    if ("method" in message && "id" in message) this.#pending.add(message.id);
    else if ("method" in message && message.method === "notifications/cancelled")
      this.#settle(message.params?.requestId as RequestId);
    this.onmessage?.(message);
  }

  async #listen(message: JSONRPCMessage): Promise<void> {
    try {
      this.onmessage?.((await this.narrowListen(message)) as JSONRPCMessage);
    } catch (error) {
      const { id } = message as { id: RequestId };
      const failure = { code: ProtocolErrorCode.InternalError, message: (error as Error).message };
      await this.send({ jsonrpc: "2.0", id, error: failure });
    }
  }

  /** Sends an error, so that the client does not wait for a response. */
  async #sendError(value: unknown, error: Error): Promise<void> {
    const { id } = (value ?? {}) as { id?: unknown };
    const [code, message] =
      value === undefined
        ? [ProtocolErrorCode.ParseError, error.message]
        : [ProtocolErrorCode.InvalidRequest, "Not a valid JSON-RPC message of MCP."];
    const requestId = typeof id === "string" || typeof id === "number" ? id : null;
    await this.#write(JSON.stringify({ jsonrpc: "2.0", id: requestId, error: { code, message } }));
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id);
    if (this.#pending.size > 0) return;
    this.#allAnswered.resolve();
    this.#allAnswered = Promise.withResolvers();
  }
}

const newline = 10;

/** Yields each non-blank line, or null for one that is too long. The last line needs no line break. */
async function* readLines(input: LineStreams["input"]): AsyncGenerator<Uint8Array | null> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const finishLine = () => {
    const line = size > lineBytesMax ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line;
  };
  const addPart = (part: Uint8Array) => {
    size += part.length;
    if (size <= lineBytesMax) parts.push(part);
  };
  const isNotBlank = (line: Uint8Array | null) => line === null || line.some((byte) => byte > 32);
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      addPart(chunk.subarray(start, end));
      const line = finishLine();
      if (isNotBlank(line)) yield line;
      start = end + 1;
    }
    if (start < chunk.length) addPart(chunk.subarray(start));
  }
  const last = finishLine();
  if (isNotBlank(last)) yield last;
}
