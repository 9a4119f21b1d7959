/**
 * Calls of a run that telemetry has reported, for agents whose telemetry names no id that their files have:
 * the same tokens at about the same time are the same call.
 */

import type { AgentId } from "../../core/agents/agents.ts";
import { minuteMicros, toMicros } from "../../core/lib/time.ts";
import type { RunPlace } from "../../feed/rows.ts";
import { readPayload } from "../../feed/runs/payload.ts";
import type { Event } from "../../feed/schema.ts";
import type { IntegrationsContext } from "../context.ts";
import type { BackfillRun, BackfillStep } from "./schema.ts";

/** Their telemetry names the request as their files do, so the key of the event tells. */
const agentsWithSharedKeys: ReadonlySet<AgentId> = new Set(["claude-code"]);
/** Telemetry tells when a call began or ended; files, when it was written. */
const apartMax = 10 * minuteMicros;
const pageLength = 1_000;

interface Calls {
  /** Whether the step is recorded; each call counts once. */
  take(step: BackfillStep): boolean;
}

/** @returns null if keys tell */
export async function recordedCalls(
  { data }: Pick<IntegrationsContext, "data">,
  place: RunPlace,
  run: BackfillRun,
): Promise<Calls | null> {
  if (agentsWithSharedKeys.has(run.agent)) return null;
  const row = await data.run(null, place.project, place.id);
  const times = new Map<string, number[]>();
  for (let after: number | undefined; row; ) {
    const page = await data.runEvents(row, { limit: pageLength, ...(after !== undefined && { after }) });
    for (const { ts, wire, payload } of page) {
      const event = JSON.parse(wire) as Event; // safe because: the API returns the same text
      if (event.kind !== "step.usage") continue;
      const at = readPayload(payload && JSON.parse(payload)).at ?? ts;
      const key = tokensOf(event);
      const known = times.get(key);
      if (known) known.push(at);
      else times.set(key, [at]);
    }
    after = page.at(-1)?.ts;
    if (page.length < pageLength) break;
  }
  return {
    take(step) {
      const recorded = times.get(tokensOf(step)) ?? [];
      const at = toMicros(step.at);
      const found = recorded.findIndex((time) => Math.abs(time - at) <= apartMax);
      if (found < 0) return false;
      recorded.splice(found, 1);
      return true;
    },
  };
}

type Tokens = Partial<Pick<Event, "tokens_in" | "tokens_out" | "cache_read" | "cache_write">>;

const tokensOf = ({ tokens_in = 0, tokens_out = 0, cache_read = 0, cache_write = 0 }: Tokens): string =>
  `${tokens_in} ${tokens_out} ${cache_read} ${cache_write}`;
