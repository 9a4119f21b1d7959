/**
 * Raw JSON inside a response that the MCP library serializes: a placeholder stands for it until the response
 * is text, then the JSON replaces the placeholder. Feed pages are stored as JSON text, so they need not be
 * parsed, validated and serialized again for each call.
 */

/** Returns a placeholder for the JSON; call it at most once per message. */
export type InsertRawJson = (json: string) => Record<string, unknown>;

/** Random, so no content can contain it. */
const placeholderKey = crypto.randomUUID();
const placeholderText = JSON.stringify({ [placeholderKey]: true });

const splice = (json: string, text: string): string => {
  const [before, after] = text.split(placeholderText) as [string, string?];
  return after === undefined ? before : before + json + after;
};

/** For HTTP, where each request has one response. */
export class RawJsonResponse {
  #json: string | null = null;

  readonly insert: InsertRawJson = (json) => {
    this.#json = json;
    return { [placeholderKey]: true };
  };

  /** Returns the response with the placeholder replaced. */
  async replacePlaceholder(response: Response): Promise<Response> {
    if (this.#json === null) return response;
    const { status, headers } = response;
    return new Response(splice(this.#json, await response.text()), { status, headers });
  }
}

/** For stdio, where concurrent messages share a transport: the placeholder carries its JSON along. */
class RawJsonPlaceholder {
  constructor(readonly json: string) {}

  toJSON(): true {
    return true;
  }
}

export const insertRawJson: InsertRawJson = (json) => ({ [placeholderKey]: new RawJsonPlaceholder(json) });

/** Serializes a message, with the placeholder replaced. */
export function serializeMessage(message: object): string {
  const { result } = message as { result?: { structuredContent?: Record<string, unknown> } };
  const placeholder = result?.structuredContent?.[placeholderKey];
  const text = JSON.stringify(message);
  return placeholder instanceof RawJsonPlaceholder ? splice(placeholder.json, text) : text;
}
