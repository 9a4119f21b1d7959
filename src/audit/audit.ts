/**
 * Refusals, sign-ins and uses of tokens, gathered and written together about once a second: an answer never
 * waits for them, a flood of them is a few rows a minute, and a database that is away costs nothing but
 * these.
 */

import type { Log } from "../context.ts";
import type { Data } from "../data.ts";
import { clientNetwork } from "../lib/client-network.ts";
import { type Micros, secondMicros } from "../lib/time.ts";
import { Problem } from "../problem.ts";
import type { NewAudit } from "../rows.ts";
import type { Action } from "./action.ts";

export interface Audit {
  /** Counts a refusal; the same error is counted once, whoever else reports it. */
  recordRefusal(act: Action, error: unknown): void;
  /** Counts something that was done without a transaction to tell of it. */
  recordAction(act: Action): void;
  /** A token of the database was used. */
  recordTokenUse(hash: string | undefined): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

const flushMs = 1_000;
const minuteMicros = 60 * secondMicros;
/** Clients and things that are told apart in one minute; the rest is counted together. */
const slotsOfMinute = 30;
/** The last use of a token is as old as this at most: not every request is worth a write. */
const useMicros = 15 * minuteMicros;

/** @param data of the process: what is gathered here is nobody's transaction */
export function openAudit({ data, now, log }: { data: Data; now(): Micros; log: Log }): Audit {
  const counted = new WeakSet<object>();
  const lastUse = new Map<string, Micros>();
  let counts = new Map<string, NewAudit & { count: number }>();
  let uses = new Set<string>();
  let minute = 0;
  let known = new Set<string>();
  /**
   * Set from the first thing that waits until it is written: a database that takes its time is asked once.
   */
  let timer: Timer | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let isFailing = false;

  function later(): void {
    if (timer) return;
    timer = setTimeout(() => {
      flushing = flush().then(() => {
        timer = undefined;
        if (counts.size + uses.size > 0) later();
      });
    }, flushMs);
    timer.unref();
  }

  async function flush(): Promise<void> {
    const [rows, hashes] = [counts, uses];
    counts = new Map();
    uses = new Set();
    if (rows.size + hashes.size === 0) return;
    try {
      await data.atomically(async (writes) => {
        for (const row of rows.values()) await writes.addAudit(row);
        if (hashes.size > 0) await writes.touchTokens([...hashes], now());
      });
      isFailing = false;
    } catch (error) {
      if (!isFailing) log("warn", "cannot write the audit log", { cause: (error as Error).message });
      isFailing = true;
      // Written with the next ones, unless a long outage would make them many.
      for (const [slot, row] of rows) {
        const since = counts.get(slot);
        if (since) since.count += row.count;
        else if (counts.size < slotsOfMinute) counts.set(slot, row);
      }
      for (const hash of hashes) lastUse.delete(hash);
    }
  }

  /** Names the row that it is counted in. */
  function slotOf({ who, via, what, address }: Action, status: number): string {
    const current = Math.floor(now() / minuteMicros);
    if (current !== minute) {
      minute = current;
      known = new Set();
    }
    const slot = JSON.stringify([minute, via, who ?? (address && clientNetwork(address)), what, status]);
    if (known.has(slot)) return slot;
    if (known.size >= slotsOfMinute) return JSON.stringify([minute, status]);
    known.add(slot);
    return slot;
  }

  function count(act: Action, status: number): void {
    const slot = slotOf(act, status);
    const row = counts.get(slot);
    if (row) row.count++;
    else {
      const one = { ...act, at: now(), status, slot, count: 1 };
      counts.set(
        slot,
        known.has(slot)
          ? one
          : { ...one, who: null, what: "many", project: null, target: null, address: null, request: null },
      );
    }
    later();
  }

  return {
    recordRefusal(act, error) {
      if (typeof error !== "object" || error === null || counted.has(error)) return;
      counted.add(error);
      count(act, error instanceof Problem ? error.status : 500);
    },
    recordAction: (act) => count(act, 200),
    recordTokenUse(hash) {
      if (hash === undefined) return;
      const at = now();
      if (at - (lastUse.get(hash) ?? Number.NEGATIVE_INFINITY) < useMicros) return;
      lastUse.set(hash, at);
      uses.add(hash);
      later();
    },
    async close() {
      clearTimeout(timer);
      await flushing;
      await flush();
    },
  };
}
