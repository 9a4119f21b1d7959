/** Parses Server-Sent Events as a client does. */
import type { Event } from "../../../src/feed/schema.ts";

export interface Frame {
  id: number;
  event: Event;
}

export interface Frames {
  /** Events in order of arrival; ends when the server ends the stream. */
  events: AsyncGenerator<Frame>;
  /** Number of comments received so far. */
  comments(): number;
  /** Everything received so far. */
  text(): string;
}

/** Reads the body of a stream after its headers arrived. */
export function readFrames(response: Response): Frames {
  if (response.status !== 200 || !response.body) throw new Error(`no stream: ${response.status}`);
  const { body } = response;
  let [text, comments] = ["", 0];
  async function* events(): AsyncGenerator<Frame> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of body) {
      const more = decoder.decode(chunk, { stream: true });
      text += more;
      const blocks = (rest + more).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, id, data] = /^id: (\d+)\ndata: ([^\n]+)$/.exec(block) ?? [];
        if (id && data) yield { id: Number(id), event: JSON.parse(data) };
        else if (block.startsWith(":")) comments++;
        else if (!/^retry: \d+$/.test(block)) throw new Error(`not a frame: ${block}`);
      }
    }
  }
  return { events: events(), comments: () => comments, text: () => text };
}
