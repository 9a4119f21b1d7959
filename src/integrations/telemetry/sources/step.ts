/** Builds the events of sources: their summaries, keys, names and times. */

import { lazy } from "../../../core/lib/lazy.ts";
import { cleanLine } from "../../../core/lib/strings/clean-text.ts";
import { fromMicros } from "../../../core/lib/time.ts";
import { isActor } from "../../../core/wire.ts";
import { derivedRunIdPrefix } from "../../../feed/runs/rule.ts";
import type { EventInput } from "../../../feed/schema.ts";
import type { Unplaced } from "./source.ts";
import type { Tokens, Usage } from "./usage.ts";

export interface Step {
  actor: string;
  /** The session or trace; absent for a call that belongs to none. */
  run?: string | undefined;
  /** The run that started it, for a subagent. */
  parent?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  /** USD, if the sender names it. */
  cost?: number | undefined;
  duration?: number | undefined;
  nanos: bigint;
  /** Identifies the record among those of the actor; undefined if nothing in it does. */
  key: string | undefined;
}

/** A key of several parts; undefined if one is missing: the others are no identity. */
export const keyOf = (...parts: readonly (string | bigint | undefined)[]): string | undefined =>
  parts.every((part) => part) ? parts.join(":") : undefined;

/** An event for one call of a model. @param usage without tokens if its sender named only the cost */
export function usageStep(step: Step, { apart, ...tokens }: Partial<Usage>): Unplaced {
  const { cost } = step;
  const paid =
    cost === undefined ? {} : { cost_equiv: Math.min(cost, costMax), cost_source: "reported" as const };
  const mapped = withKey(step, {
    ...base("step.usage", step),
    ...tokens,
    ...paid,
    summary: usageSummary(step.model, tokens) + (cost === undefined ? "" : `, ${dollars(cost)}`),
  });
  return apart ? { ...mapped, apart } : mapped;
}

/** An event for a call that failed. @param code a status or the class of an error */
export const failedStep = (step: Step, code: string | undefined): Unplaced =>
  withKey(step, {
    ...base("step.usage", step),
    summary: `${step.model ?? "model"}: request failed${code === undefined ? "" : ` (${code})`}`,
  });

/** An event for the start or the end of a run. */
export const runEvent = (
  kind: "run.started" | "run.finished" | "run.failed",
  step: Step,
  summary: string,
): Unplaced => withKey(step, { ...base(kind, step), summary: cleanLine(summary, 256) });

const withKey = ({ actor, key, nanos, provider }: Step, event: Unplaced["event"]): Unplaced => {
  const dedupe_key = key === undefined ? contentKey(nanos, event) : toKey(`otlp:${actor}:${key}`);
  return {
    event: { ...event, dedupe_key },
    ...(provider !== undefined && { provider }),
  };
};

/** The prefix of keys of records without an id. */
export const contentKeyPrefix = "otlp:content:";

/** The key of a record without an id: its time and content. Null without a time: others are the same. */
const contentKey = (nanos: bigint, event: Unplaced["event"]): string | null =>
  nanos > 0n ? `${contentKeyPrefix}${sha256(`${nanos} ${JSON.stringify(event)}`)}` : null;

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** The largest cost and duration that an event can have. */
const costMax = 1e12;
/** Times after the year 9999 are no RFC 3339. */
const microsMax = 253_402_300_799_000_000n;

function base(kind: EventInput["kind"], { actor, run, parent, model, duration, nanos }: Step) {
  const micros = nanos / 1000n;
  const run_id = run === undefined ? "" : toRunId(run);
  return {
    kind,
    actor,
    ...(run_id !== "" && { run_id }),
    ...(run_id !== "" && parent !== undefined && { parent_run_id: toRunId(parent) }),
    ...(model !== undefined && { model }),
    ...(duration !== undefined && { duration_ms: duration }),
    ...(micros > 0n && micros <= microsMax && { ts: fromMicros(Number(micros)) }),
  };
}

/** The id of a run, as the agent's hooks give it too. Ids with the prefix of derived runs lose it. */
export const toRunId = (session: string): string =>
  cleanLine(session.replaceAll(derivedRunIdPrefix, ""), 128);

const keyBytesMax = 255;

/** A key that is too long or has control characters is replaced by its hash. */
export function toKey(key: string): string {
  if (key.length <= keyBytesMax && /^[\x21-\x7e]+$/.test(key)) return key;
  return `otlp:sha256:${sha256(key)}`;
}

/** The actor of an agent that names itself: without white space, and `agent:unknown` for an empty name. */
export function toActor(name: string | undefined): string {
  const actor = `agent:${cleanLine((name ?? "").slice(0, 512), 120).replace(/\s/g, "-")}`;
  return isActor(actor) ? actor : "agent:unknown";
}

const counts = lazy(() => new Intl.NumberFormat("en-US"));

/** `claude-sonnet-4-5: 1,204 in, 9,000 cached, 310 out`. */
function usageSummary(
  model: string | undefined,
  { tokens_in = 0, tokens_out = 0, cache_read = 0 }: Partial<Tokens>,
): string {
  const cached = cache_read > 0 ? `, ${counts().format(cache_read)} cached` : "";
  return `${model ?? "model"}: ${counts().format(tokens_in)} in${cached}, ${counts().format(tokens_out)} out`;
}

/** `$0.012`, with enough digits to see it. */
export const dollars = (usd: number): string =>
  `$${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : usd >= 0.001 ? usd.toFixed(3) : usd.toPrecision(1)}`;
