/**
 * The parent's side of the talk: answers the child's questions for bytes, and gives on what it has to say.
 */
import type { Job } from "./child.ts";
import { limits } from "./limits.ts";
import { encodeFrame, type Frame, FrameReader } from "./message-frames.ts";
import type { Guarded } from "./sandboxed-process.ts";
import type { Source } from "./source.ts";

const nothing = new Uint8Array();

export class Conversation {
  readonly #frames = new FrameReader(limits.frameBytes);
  /** What the child waits for. */
  #owed: Frame | null;

  /** @param isKept the child is done with another file, and waits for its next job */
  constructor(
    readonly child: Guarded,
    readonly source: Source,
    readonly job: Job,
    isKept = false,
  ) {
    this.#owed = isKept ? this.#begin() : null;
  }

  #begin(): Frame {
    return { head: { ...this.job }, body: this.source.head ?? nothing };
  }

  /**
   * The next thing the child says, or null when it said something that is no message, or died. It waits for
   * the call after this one before it goes on. Throws only what the source throws.
   */
  async next(): Promise<Frame | null> {
    if (this.#owed) await this.#answer(this.#owed);
    for (let frame = await this.#hear(); frame; frame = await this.#hear()) {
      if (frame.head.say === "ready") await this.#answer(this.#begin());
      else if (frame.head.say === "read") {
        const { offset, length } = frame.head;
        if (!isWithin(offset, this.source.size) || !isWithin(length, limits.blockBytes)) return null;
        const body = await this.#fetch(offset, length);
        if (body === null) return null;
        await this.#answer({ head: {}, body });
      } else {
        this.#owed = { head: {}, body: nothing };
        return frame;
      }
    }
    return null;
  }

  /** Null where the child's time ran out before the bytes came: nobody waits for them any longer. */
  #fetch(offset: number, length: number): Promise<Uint8Array | null> {
    const bytes = this.source.read(offset, length);
    bytes.catch(() => {}); // it may fail when nobody listens
    return Promise.race([bytes, this.child.gone]);
  }

  async #hear(): Promise<Frame | null> {
    try {
      for (;;) {
        const frame = this.#frames.next();
        if (frame) return frame;
        const bytes = await this.child.read();
        if (bytes === null) return null;
        this.#frames.push(bytes);
      }
    } catch {
      return null; // not a message
    }
  }

  async #answer({ head, body }: Frame): Promise<void> {
    this.#owed = null;
    await this.child.write(encodeFrame(head, body));
  }
}

const isWithin = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
