/**
 * The parent's side of the talk: answers the child's questions for bytes, and gives on what it has to say.
 */
import type { Job } from "./child.ts";
import { limits } from "./limits.ts";
import { encodeFrame, type Frame, FrameReader } from "./message-frames.ts";
import type { SandboxedProcess } from "./sandboxed-process.ts";
import type { FileSource } from "./source.ts";

const emptyBody = new Uint8Array();

export class ChildConnection {
  readonly #frames = new FrameReader(limits.frameBytes);
  /** What the child waits for. */
  #pendingReply: Frame | null;

  /** @param isReused the child is done with another file, and waits for its next job */
  constructor(
    readonly child: SandboxedProcess,
    readonly source: FileSource,
    readonly job: Job,
    isReused = false,
  ) {
    this.#pendingReply = isReused ? this.#jobFrame() : null;
  }

  #jobFrame(): Frame {
    return { head: { ...this.job }, body: this.source.head ?? emptyBody };
  }

  /**
   * The next thing the child says, or null when it said something that is no message, or died. It waits for
   * the call after this one before it goes on. Throws only what the source throws.
   */
  async next(): Promise<Frame | null> {
    if (this.#pendingReply) await this.#reply(this.#pendingReply);
    for (let frame = await this.#receive(); frame; frame = await this.#receive()) {
      if (frame.head.say === "ready") await this.#reply(this.#jobFrame());
      else if (frame.head.say === "read") {
        const { offset, length } = frame.head;
        if (!isWithin(offset, this.source.size) || !isWithin(length, limits.blockBytes)) return null;
        const body = await this.#fetch(offset, length);
        if (body === null) return null;
        await this.#reply({ head: {}, body });
      } else {
        this.#pendingReply = { head: {}, body: emptyBody };
        return frame;
      }
    }
    return null;
  }

  /** Null where the child's time ran out before the bytes came: nobody waits for them any longer. */
  #fetch(offset: number, length: number): Promise<Uint8Array | null> {
    const bytes = this.source.read(offset, length);
    bytes.catch(() => {}); // it may fail when nobody listens
    return Promise.race([bytes, this.child.exited]);
  }

  async #receive(): Promise<Frame | null> {
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

  async #reply({ head, body }: Frame): Promise<void> {
    this.#pendingReply = null;
    await this.child.write(encodeFrame(head, body));
  }
}

const isWithin = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max;
