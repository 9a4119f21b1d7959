/**
 * Memory budgets for request bodies that are buffered. Anonymous clients have their own budget, so they
 * cannot exhaust that of authenticated callers.
 */

import { unavailable } from "../../problem.ts";
import { clientNetwork } from "./client-network.ts";

/** Minimum rate at which a body has to arrive. */
export interface Pace {
  /** At least this many bytes in every `ms` milliseconds, until the end of the body. */
  bytes: number;
  ms: number;
  /** Maximum time for the whole body, in milliseconds. */
  totalMs: number;
}

export interface BodyBudget {
  pace: Pace;
  /** Reserves memory. @throws {Problem} 503 if the budget is exhausted */
  take(bytes: number): void;
  give(bytes: number): void;
}

class Budget {
  bytes = 0;
  constructor(public bytesMax: number) {}

  hasRoomFor(bytes: number): boolean {
    return this.bytes + bytes <= this.bytesMax;
  }
}

const busy = () => unavailable("The server is receiving too many large requests. Try again.");

/** The budget shared by all callers with a token or a session. */
export class CallerBodies extends Budget implements BodyBudget {
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

/** The budget of anonymous clients: a total, and a maximum for each client. */
export class AnonymousBodies extends Budget {
  readonly #usedByClient = new Map<string, number>();

  constructor(
    bytesMax: number,
    public clientBytesMax: number,
    readonly pace: Pace,
  ) {
    super(bytesMax);
  }

  get clients(): number {
    return this.#usedByClient.size;
  }

  of(address: string): BodyBudget {
    const client = clientNetwork(address);
    return {
      pace: this.pace,
      take: (bytes) => {
        const used = this.#usedByClient.get(client) ?? 0;
        if (used + bytes > this.clientBytesMax)
          throw unavailable("Your network is sending too many large requests at the same time. Try again.");
        if (!this.hasRoomFor(bytes)) throw busy();
        this.bytes += bytes;
        this.#usedByClient.set(client, used + bytes);
      },
      give: (bytes) => {
        this.bytes -= bytes;
        const remaining = (this.#usedByClient.get(client) ?? 0) - bytes;
        if (remaining > 0) this.#usedByClient.set(client, remaining);
        else this.#usedByClient.delete(client);
      },
    };
  }
}
