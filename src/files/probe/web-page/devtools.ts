/** The Chrome DevTools Protocol over the pipes of a browser: JSON messages, each with a NUL at its end. */
import type { SandboxedProcess } from "../sandbox/sandboxed-process.ts";

type Fields = Record<string, unknown>;

/** Longer messages end the connection: a screenshot is one. */
const messageBytesMax = 16 * 2 ** 20;

export class DevTools {
  readonly #pending = new Map<number, (result: Fields | null) => void>();
  readonly #listeners = new Map<string, (params: Fields) => void>();
  #lastId = 0;
  #hasEnded = false;
  /** Of the page, once one is attached. */
  sessionId: string | undefined;

  constructor(readonly browser: Pick<SandboxedProcess, "read" | "write">) {}

  /** Calls back for each event of this name. */
  on(method: string, listener: (params: Fields) => void): void {
    this.#listeners.set(method, listener);
  }

  /** Null if the command fails, or the browser has ended. */
  async send(method: string, params: Fields = {}): Promise<Fields | null> {
    if (this.#hasEnded) return null;
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Fields | null>();
    this.#pending.set(id, resolve);
    const { sessionId } = this;
    const message = JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) });
    await this.browser.write(Buffer.from(`${message}\0`));
    return promise;
  }

  /** Receives until the browser ends or sends something else than messages. */
  async receive(): Promise<void> {
    let received = Buffer.alloc(0);
    try {
      for (let bytes = await this.browser.read(); bytes; bytes = await this.browser.read()) {
        received = Buffer.concat([received, bytes]);
        for (let end = received.indexOf(0); end >= 0; end = received.indexOf(0)) {
          this.#dispatch(JSON.parse(received.toString("utf8", 0, end)));
          received = received.subarray(end + 1);
        }
        if (received.length > messageBytesMax) break;
      }
    } catch {
      // not a message
    }
    this.#hasEnded = true;
    for (const resolve of this.#pending.values()) resolve(null);
  }

  #dispatch({
    id,
    method,
    params,
    result,
  }: {
    id?: number;
    method?: string;
    params?: Fields;
    result?: Fields;
  }) {
    if (id === undefined) this.#listeners.get(String(method))?.(params ?? {});
    else this.#pending.get(id)?.(result ?? null);
  }
}
