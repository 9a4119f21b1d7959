/**
 * Raw JSON inside a response that the MCP library serializes: a placeholder stands for it until the response
 * is text, then the JSON replaces the placeholder. Feed pages are stored as JSON text, so they need not be
 * parsed, validated and serialized again for each call.
 */

/** Returns a placeholder for the JSON; call it at most once per message. */
export type StandFor = (json: string) => Record<string, unknown>;

/** Random, so no content can contain it. */
const mark = crypto.randomUUID();
const standIn = JSON.stringify({ [mark]: true });

const put = (json: string, text: string): string => {
  const [before, after] = text.split(standIn) as [string, string?];
  return after === undefined ? before : before + json + after;
};

/** For HTTP, where each request has one response. */
export class Verbatim {
  #json: string | null = null;

  readonly standFor: StandFor = (json) => {
    this.#json = json;
    return { [mark]: true };
  };

  /** Returns the response with the placeholder replaced. */
  async fill(response: Response): Promise<Response> {
    if (this.#json === null) return response;
    const { status, headers } = response;
    return new Response(put(this.#json, await response.text()), { status, headers });
  }
}

/**
 * For stdio, where concurrent messages share a transport: the placeholder carries its JSON along.
 */
class Ready {
  constructor(readonly json: string) {}

  toJSON(): true {
    return true;
  }
}

export const readyFor: StandFor = (json) => ({ [mark]: new Ready(json) });

/** Serializes a message, with the placeholder replaced. */
export function textOf(message: object): string {
  const { result } = message as { result?: { structuredContent?: Record<string, unknown> } };
  const ready = result?.structuredContent?.[mark];
  const text = JSON.stringify(message);
  return ready instanceof Ready ? put(ready.json, text) : text;
}
