/**
 * JSON that is ready, inside of an answer that the library puts together: something small stands for it until
 * the answer is text. A page of the feed is kept as text, so it need not be parsed, checked and written anew
 * for each call.
 */

/** Gives what stands for it, once a message. */
export type StandFor = (json: string) => Record<string, unknown>;

/** Nobody else can write it. */
const mark = crypto.randomUUID();
const standIn = JSON.stringify({ [mark]: true });

const put = (json: string, text: string): string => {
  const [before, after] = text.split(standIn) as [string, string?];
  return after === undefined ? before : before + json + after;
};

/** For a transport that gives its one answer as a response. */
export class Verbatim {
  #json: string | null = null;

  readonly standFor: StandFor = (json) => {
    this.#json = json;
    return { [mark]: true };
  };

  /** The answer, with the JSON in its place. */
  async fill(response: Response): Promise<Response> {
    if (this.#json === null) return response;
    const { status, headers } = response;
    return new Response(put(this.#json, await response.text()), { status, headers });
  }
}

/**
 * For a transport that gives its answers as messages, many at once: the JSON goes along with what stands for
 * it.
 */
class Ready {
  constructor(readonly json: string) {}

  toJSON(): true {
    return true;
  }
}

export const readyFor: StandFor = (json) => ({ [mark]: new Ready(json) });

/** The text of a message, with the JSON in its place. */
export function textOf(message: object): string {
  const { result } = message as { result?: { structuredContent?: Record<string, unknown> } };
  const ready = result?.structuredContent?.[mark];
  const text = JSON.stringify(message);
  return ready instanceof Ready ? put(ready.json, text) : text;
}
