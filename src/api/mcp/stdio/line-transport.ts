/** JSON-RPC messages as lines on standard input and output, for the MCP library. */
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { parseJson } from "../../../core/lib/http/request-body.ts";
import { unavailable } from "../../../core/problem.ts";
import { dropNulls } from "../null-arguments.ts";
import type { Handshake } from "./handshake.ts";
import { type LineStreams, LineWriter, lineBytesMax, readLines } from "./lines.ts";

/** How long to wait for pending responses after the input has ended. */
const drainMs = 10_000;
/** Backpressure: while a client has more characters of responses to read, no further requests are read. */
const backlogMax = 16 * 2 ** 20;
/** Beyond as many requests in flight, direct calls are answered before further requests are read. */
const inFlightMax = 256;

/** A call that is answered without the library. */
export interface DirectAnswer {
  id: RequestId;
  line: Promise<string>;
}

interface Handlers {
  /** Answers a message without the library; null if it has to answer. @param message any JSON value */
  answerDirectly(message: unknown): DirectAnswer | null;
  /** Rewrites a `subscriptions/listen` message before the library handles it. */
  narrowListen(message: JSONRPCMessage): Promise<unknown>;
  /** The request of the handshake, if it has been answered: the response of the library is left out. */
  answered: Handshake["answered"];
}

export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** Requests without a response yet. */
  readonly #pending = new Set<RequestId>();
  #onAllAnswered: () => void = () => {};
  readonly #lines: LineWriter;
  #answered: RequestId | null;

  constructor(
    write: LineStreams["write"],
    readonly handlers: Handlers,
  ) {
    this.#lines = new LineWriter(write);
    this.#answered = handlers.answered;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    const isAnswered = id !== undefined && id === this.#answered;
    const written = isAnswered ? undefined : this.#write(JSON.stringify(message));
    if (isAnswered) this.#answered = null;
    if (id !== undefined) this.#settle(id);
    await written;
  }

  /** @param onInputEnd ends the requests that wait */
  async read(input: LineStreams["input"], onInputEnd: () => Promise<void>): Promise<void> {
    for await (const lines of readLines(input)) {
      const answers: Promise<void>[] = [];
      for (const line of lines) {
        const value = this.#parse(line);
        if (value === undefined) continue;
        const answer = this.handlers.answerDirectly(value);
        if (answer) answers.push(this.#sendAnswer(answer));
        else await this.#passOn(value);
      }
      if (answers.length > 0 && this.#pending.size > inFlightMax) await Promise.all(answers);
      if (this.#lines.backlog > backlogMax) await this.#lines.flushed();
    }
    await onInputEnd();
    const allAnswered = new Promise<void>((resolve) => (this.#onAllAnswered = resolve));
    if (this.#pending.size > 0) await Promise.race([allAnswered, Bun.sleep(drainMs)]);
    if (this.#pending.size > 0)
      throw unavailable(
        `The input ended, and ${this.#pending.size} requests were not answered within ` +
          `${drainMs / 1000} seconds.`,
      );
    await this.#lines.flushed();
    await this.close();
  }

  /** Parses a line. Sends an error and returns undefined if it is not valid JSON. */
  #parse(line: Uint8Array | null): unknown {
    try {
      if (line === null) throw new Error(`The line is longer than ${lineBytesMax} bytes.`);
      const value = parseJson(line);
      dropNulls(value);
      return value;
    } catch (error) {
      this.#sendError(null, ProtocolErrorCode.ParseError, (error as Error).message);
      return undefined;
    }
  }

  async #sendAnswer({ id, line }: DirectAnswer): Promise<void> {
    this.#pending.add(id);
    try {
      const answer = await line;
      if (this.#pending.has(id)) this.#write(answer); // else it was canceled
    } catch (error) {
      this.onerror?.(error as Error);
    }
    this.#settle(id);
  }

  /** Passes a message on to the library. */
  async #passOn(value: unknown): Promise<void> {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      const { id } = (value ?? {}) as { id?: unknown };
      const requestId = typeof id === "string" || typeof id === "number" ? id : null;
      const problem = "Not a valid JSON-RPC message of MCP.";
      return this.#sendError(requestId, ProtocolErrorCode.InvalidRequest, problem);
    }
    if ("method" in message && message.method === "subscriptions/listen")
      return this.#listen(message as JSONRPCMessage); // stays open, so it is not pending
    if ("method" in message && "id" in message) this.#pending.add(message.id);
    else if ("method" in message && message.method === "notifications/cancelled")
      this.#settle(message.params?.requestId as RequestId);
    this.onmessage?.(message);
  }

  async #listen(message: JSONRPCMessage): Promise<void> {
    try {
      this.onmessage?.((await this.handlers.narrowListen(message)) as JSONRPCMessage);
    } catch (error) {
      const { id } = message as { id: RequestId };
      this.#sendError(id, ProtocolErrorCode.InternalError, (error as Error).message);
    }
  }

  /** Sends an error, so that the client does not wait for a response. */
  #sendError(id: RequestId | null, code: ProtocolErrorCode, message: string): void {
    this.#write(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }

  /** While the client waits for one response at most, it gets each line immediately. */
  #write(line: string): Promise<void> {
    return this.#lines.write(line, this.#pending.size <= 1);
  }

  #settle(id: RequestId): void {
    if (this.#pending.delete(id) && this.#pending.size === 0) this.#onAllAnswered();
  }
}
