/**
 * The audit log of refused requests, sign-ins and token use. Entries are aggregated and written in a batch
 * about once a second: responses never wait for them, a flood of refusals becomes a few rows a minute, and
 * while the database is unavailable only these entries are lost.
 */

import type { Log } from "../context.ts";
import { Cache } from "../lib/cache.ts";
import { clientNetwork } from "../lib/http/client-network.ts";
import { type Micros, secondMicros } from "../lib/time.ts";
import type { CoreData } from "../port.ts";
import { Problem } from "../problem.ts";
import type { NewAudit } from "../rows.ts";
import type { Action, Audit } from "./port.ts";

const flushMs = 1_000;
const minuteMicros = 60 * secondMicros;
/** Maximum number of separate rows per minute; further combinations share one row. */
const slotsPerMinute = 30;
/** Precision of the last use of a token or a session: at most one write for each in this time. */
const useMicros = 15 * minuteMicros;
/** Tokens of agents that a process remembers: of more, it records some again. */
const agentsMax = 1_000;

/** Sessions whose last use a process remembers: of more, it records some more often. */
const sessionsMax = 10_000;

/** Opens the audit log. @param data of the process, as entries are not part of a request's transaction */
export function openAudit({ data, now, log }: { data: CoreData; now(): Micros; log: Log }): Audit {
  const countedErrors = new WeakSet<object>();
  const lastUse = new Map<string, Micros>();
  let counts = new Map<string, NewAudit & { count: number }>();
  let uses = new Set<string>();
  const lastSessionUse = new Cache<string, Micros>({ max: sessionsMax });
  let sessions = new Set<string>();
  /** Tokens of agents that this process has recorded. */
  const knownAgents = new Cache<string, true>({ max: agentsMax });
  let agents = new Set<string>();
  let minute = 0;
  let slots = new Set<string>();
  /** Set from the first pending entry until it is written, so a slow database gets one write at a time. */
  let timer: Timer | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let isFailing = false;

  function scheduleFlush(): void {
    if (timer) return;
    timer = setTimeout(() => {
      flushing = flush().then(() => {
        timer = undefined;
        if (counts.size + uses.size + sessions.size + agents.size > 0) scheduleFlush();
      });
    }, flushMs);
    timer.unref();
  }

  async function flush(): Promise<void> {
    const [rows, hashes, used, newAgents] = [counts, uses, sessions, agents];
    counts = new Map();
    uses = new Set();
    sessions = new Set();
    agents = new Set();
    if (rows.size + hashes.size + used.size + newAgents.size === 0) return;
    try {
      await data.atomically(async (writes) => {
        for (const row of rows.values()) await writes.addAudit(row);
        if (hashes.size > 0) await writes.touchTokens([...hashes], now());
        if (used.size > 0) await writes.touchSessions([...used], now());
        if (newAgents.size > 0) await writes.markAgentTokens([...newAgents], now());
      });
      isFailing = false;
    } catch (error) {
      if (!isFailing) log("warn", "cannot write the audit log", { cause: (error as Error).message });
      isFailing = true;
      // Retried with the next batch. The limit bounds memory during a long outage.
      for (const [slot, row] of rows) {
        const newer = counts.get(slot);
        if (newer) newer.count += row.count;
        else if (counts.size < slotsPerMinute) counts.set(slot, row);
      }
      for (const hash of hashes) lastUse.delete(hash);
      for (const hash of used) lastSessionUse.delete(hash);
      for (const hash of newAgents) knownAgents.delete(hash);
    }
  }

  /** Key of the row that an entry is counted in. */
  function slotOf({ who, via, what, target, address }: Action, status: number): string {
    const current = Math.floor(now() / minuteMicros);
    if (current !== minute) {
      minute = current;
      slots = new Set();
    }
    const client = who ?? (address && clientNetwork(address));
    // Each share has a row of its own: its ID is not the client's word, as that of a refused request can be.
    const share = via === "share" ? target : null;
    const slot = JSON.stringify([minute, via, client, what, share, status]);
    if (slots.has(slot)) return slot;
    if (slots.size >= slotsPerMinute) return JSON.stringify([minute, status]);
    slots.add(slot);
    return slot;
  }

  function count(action: Action, status: number): void {
    const slot = slotOf(action, status);
    const row = counts.get(slot);
    if (row) row.count++;
    else {
      const entry = { ...action, at: now(), status, slot, count: 1 };
      counts.set(
        slot,
        slots.has(slot)
          ? entry
          : { ...entry, who: null, what: "many", project: null, target: null, address: null, request: null },
      );
    }
    scheduleFlush();
  }

  return {
    recordRefusal(action, error) {
      if (typeof error !== "object" || error === null || countedErrors.has(error)) return;
      countedErrors.add(error);
      count(action, error instanceof Problem ? error.status : 500);
    },
    recordAction: (action) => count(action, 200),
    recordTokenUse(hash) {
      if (hash === undefined) return;
      const at = now();
      if (at - (lastUse.get(hash) ?? Number.NEGATIVE_INFINITY) < useMicros) return;
      lastUse.set(hash, at);
      uses.add(hash);
      scheduleFlush();
    },
    recordSessionUse(hash) {
      if (hash === undefined) return;
      const at = now();
      if (at - (lastSessionUse.get(hash) ?? Number.NEGATIVE_INFINITY) < useMicros) return;
      lastSessionUse.set(hash, at);
      sessions.add(hash);
      scheduleFlush();
    },
    recordAgent(hash) {
      if (hash === undefined || knownAgents.get(hash)) return;
      knownAgents.set(hash, true);
      agents.add(hash);
      scheduleFlush();
    },
    async close() {
      clearTimeout(timer);
      await flushing;
      await flush();
    },
  };
}
