/**
 * JSON that is ready, inside of an answer that the library puts together: something small stands for it until the answer is
 * text. A page of the feed is kept as text, so it need not be parsed, checked and written anew for each call.
 */
export class Verbatim {
  #json: string | null = null;

  /** What stands for it, once a message. */
  standFor(json: string): Record<string, unknown> {
    this.#json = json;
    return { [mark]: true };
  }

  /** The answer, with the JSON in its place. */
  async fill(response: Response): Promise<Response> {
    if (this.#json === null) return response;
    const { status, headers } = response;
    const [before, after] = (await response.text()).split(standIn) as [string, string?];
    return new Response(after === undefined ? before : before + this.#json + after, { status, headers });
  }
}

/** Nobody else can write it. */
const mark = crypto.randomUUID();
const standIn = JSON.stringify({ [mark]: true });
