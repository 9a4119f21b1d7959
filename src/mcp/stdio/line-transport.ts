/** JSON-RPC messages as lines on standard input and output, for the MCP library. */
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { parseJson } from "../../lib/http/request-body.ts";
import { unavailable } from "../../problem.ts";
import { dropNulls } from "../null-arguments.ts";
import { LineBatch, type LineStreams, lineBytesMax, readLines } from "./lines.ts";

/** How long to wait for pending responses after the input has ended. */
const drainMs = 10_000;

interface Handlers {
  /** Answers a request without the library; null if it has to answer. */
  answerDirectly(message: JSONRPCMessage): Promise<string> | null;
  /** Rewrites a `subscriptions/listen` message before the library handles it. */
  narrowListen(message: JSONRPCMessage): Promise<unknown>;
}

export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Requests without a response yet. */
  readonly #pending = new Set<RequestId>();
  #allAnswered = Promise.withResolvers<void>();
  readonly #lines: LineBatch;

  constructor(
    write: LineStreams["write"],
    readonly handlers: Handlers,
  ) {
    this.#lines = new LineBatch(write);
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(JSON.stringify(message));
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
    if ("method" in message && "id" in message) {
      this.#pending.add(message.id);
      const answer = this.handlers.answerDirectly(message);
      if (answer) return void this.#sendAnswer(message.id, answer);
    } else if ("method" in message && message.method === "notifications/cancelled")
      this.#settle(message.params?.requestId as RequestId);
    this.onmessage?.(message);
  }

  async #sendAnswer(id: RequestId, answer: Promise<string>): Promise<void> {
    try {
      const line = await answer;
      if (this.#pending.has(id)) await this.#write(line); // else it was cancelled
    } catch (error) {
      this.onerror?.(error as Error);
    } finally {
      this.#settle(id);
    }
  }

  async #listen(message: JSONRPCMessage): Promise<void> {
    try {
      this.onmessage?.((await this.handlers.narrowListen(message)) as JSONRPCMessage);
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

  /** While the client waits for one response at most, it gets each line immediately. */
  #write(line: string): Promise<void> {
    return this.#lines.write(line, this.#pending.size <= 1);
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id);
    if (this.#pending.size > 0) return;
    this.#allAnswered.resolve();
    this.#allAnswered = Promise.withResolvers();
  }
}
