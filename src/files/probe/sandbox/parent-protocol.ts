/** The parent's side of the protocol: serves the child's reads and returns its results. */

import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";

import type { Job } from "./child.ts";
import { encodeFrame, type Frame, FrameReader } from "./message-frames.ts";
import type { SandboxedProcess } from "./sandboxed-process.ts";

const emptyBody = new Uint8Array();

export class ChildConnection {
  readonly #frames = new FrameReader(limits.frameBytes);
  /** Whether the child works at all: it has sent a message. */
  hasBegun = false;
  /** The reply that the child is waiting for. */
  #pendingReply: Frame | null;

  /** @param isReused the child has finished another file and is waiting for its next job */
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
   * Returns the child's next result, or null if it sent an invalid message or died. The child pauses until
   * the following call. Throws only what the source throws.
   */
  async next(): Promise<Frame | null> {
    if (this.#pendingReply) await this.#reply(this.#pendingReply);
    for (let frame = await this.#receive(); frame; frame = await this.#receive()) {
      this.hasBegun = true;
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

  /** Null if the child was killed before the source delivered the bytes. */
  #fetch(offset: number, length: number): Promise<Uint8Array | null> {
    return this.child.untilEnded(this.source.read(offset, length));
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
