/**
 * Memory for bodies that are read whole while they arrive: anonymous clients cannot use up what authenticated
 * ones need.
 */

import { unavailable } from "../problem.ts";
import { clientNetwork } from "./client-network.ts";

/** How fast a body has to arrive. */
export interface Pace {
  /** So many bytes in so many milliseconds, or the end of the body. */
  bytes: number;
  ms: number;
  /** The whole body, in milliseconds. */
  totalMs: number;
}

export interface BodyBudget {
  pace: Pace;
  /** @throws {Problem} 503 where there is no room for so many more bytes */
  take(bytes: number): void;
  give(bytes: number): void;
}

class Room {
  bytes = 0;
  constructor(public bytesMax: number) {}

  hasRoomFor(bytes: number): boolean {
    return this.bytes + bytes <= this.bytesMax;
  }
}

const busy = () => unavailable("The server is receiving too many large requests. Try again.");

/** Of callers with a token or a session, all together. */
export class CallerBodies extends Room implements BodyBudget {
  constructor(
    bytesMax: number,
    readonly pace: Pace,
  ) {
    super(bytesMax);
  }

  take(bytes: number): void {
    if (!this.hasRoomFor(bytes)) throw busy();
    this.bytes += bytes;
  }

  give(bytes: number): void {
    this.bytes -= bytes;
  }
}

/** Of everyone else: together, and for each client so many. */
export class AnonymousBodies extends Room {
  readonly #ofClient = new Map<string, number>();

  constructor(
    bytesMax: number,
    public clientBytesMax: number,
    readonly pace: Pace,
  ) {
    super(bytesMax);
  }

  get clients(): number {
    return this.#ofClient.size;
  }

  of(address: string): BodyBudget {
    const client = clientNetwork(address);
    return {
      pace: this.pace,
      take: (bytes) => {
        const used = this.#ofClient.get(client) ?? 0;
        if (used + bytes > this.clientBytesMax)
          throw unavailable("Your network is sending too many large requests at the same time. Try again.");
        if (!this.hasRoomFor(bytes)) throw busy();
        this.bytes += bytes;
        this.#ofClient.set(client, used + bytes);
      },
      give: (bytes) => {
        this.bytes -= bytes;
        const left = (this.#ofClient.get(client) ?? 0) - bytes;
        if (left > 0) this.#ofClient.set(client, left);
        else this.#ofClient.delete(client);
      },
    };
  }
}
