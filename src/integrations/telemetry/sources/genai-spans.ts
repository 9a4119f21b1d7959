/**
 * Sources that send spans: frameworks, by the GenAI conventions of OpenTelemetry and those before them;
 * Copilot CLI; and the Langfuse SDKs.
 */
import type { SpanRecord } from "../records.ts";
import { agentName, classify, countingOf, names } from "./conventions.ts";
import { costOfAttributes } from "./costs.ts";
import type { Source, Unplaced } from "./source.ts";
import { failedStep, keyOf, runEvent, type Step, toActor, usageStep } from "./step.ts";
import { readUsage, type Usage } from "./usage.ts";
import { countsOfAttributes, countsOfObjects } from "./usage-counts.ts";
import { readName, toCode } from "./values.ts";

/** Maps a call of a model. @returns null for a call that neither failed nor says what it used or cost */
function mapCall(span: SpanRecord, step: Step): Unplaced | null {
  const { attributes, failed } = span;
  const usage = usageOf(span);
  if (usage || step.cost !== undefined) return usageStep(step, usage ?? {});
  return failed ? failedStep(step, toCode(attributes.get("error.type"))) : null;
}

/** Tokens read from a cache or written to it. */
const cacheOf = ({ cache_read, cache_write }: Usage): number => cache_read + cache_write;

/** The counts that a span names; those of the provider, where it has them too and they say more. */
function usageOf(span: SpanRecord): Usage | null {
  const counting = countingOf(span);
  const named = readUsage(countsOfAttributes(span.attributes), counting);
  const isWhole = named !== null && cacheOf(named) > 0;
  const given = readUsage(countsOfObjects(span.attributes, !isWhole), { thoughts: counting.thoughts });
  if (!named || !given) return named ?? given;
  const [input, cache] = [named.tokens_in, cacheOf(named)];
  const isSameCall =
    named.tokens_out === given.tokens_out &&
    (input + cache === given.tokens_in + cacheOf(given) || (cache === 0 && input === given.tokens_in));
  return isSameCall ? given : named;
}

/** What a call and the agent around it have in common. */
function spanStep(span: SpanRecord, actor: string): Step {
  const { attributes, startNanos, endNanos, traceId, spanId } = span;
  return {
    actor,
    run: readName(attributes, ...names.conversation),
    model: readName(attributes, ...names.model),
    provider: readName(attributes, ...names.provider),
    cost: costOfAttributes(attributes),
    duration: startNanos
      ? Number((endNanos > startNanos ? endNanos - startNanos : 0n) / 1_000_000n)
      : undefined,
    // The start: calls would else all happen at the end of their run.
    nanos: startNanos || endNanos,
    key: keyOf(traceId, spanId),
  };
}

function mapSpan(span: SpanRecord): Unplaced | null {
  const found = classify(span);
  if (!found || found.role === "other") return null;
  const { attributes, resource, parentSpanId, traceId, endNanos, failed } = span;
  const actor = toActor(agentName(attributes, resource) ?? found.convention);
  const step = spanStep(span, actor);
  // A call that nothing is around belongs to no run: none would ever end it.
  const isAlone = found.role === "call" && parentSpanId === "";
  const run = step.run ?? (isAlone ? undefined : traceId);
  if (found.role === "call") return mapCall(span, { ...step, run });
  const kind = failed ? "run.failed" : "run.finished";
  const { cost: _, model: _model, ...end } = { ...step, run, nanos: endNanos || step.nanos };
  return runEvent(kind, end, `${actor.slice("agent:".length)} ${failed ? "failed" : "finished"}`);
}

export const genaiSpans: Source = {
  label: "Agent frameworks",
  sends: "Spans of one call of a model, and of the agent around them",
  tokens: "Input includes the cache: taken out",
  cost: "reported or computed",
  runs: "End and duration, by the span of the agent; a trace or conversation is a run",
  owns: () => true,
  map: (record) => (record.signal === "span" ? mapSpan(record) : null),
};

/**
 * Copilot CLI. The span `invoke_agent` repeats the totals of its calls, and its cost is in credits, not USD.
 * Its hooks report runs.
 */
export const copilot: Source = {
  label: "Copilot CLI",
  sends: "Spans `chat`",
  tokens: "Input includes the cache: taken out",
  cost: "computed",
  runs: "By its hooks",
  owns: (scope, service) => scope === "github.copilot" || service === "github-copilot",
  map(record) {
    if (record.signal !== "span" || classify(record)?.role !== "call") return null;
    return mapCall(record, spanStep(record, "agent:copilot"));
  },
};

export const langfuse: Source = {
  label: "Langfuse SDK 4 and 5 (JavaScript), 3 (Python)",
  sends: "Spans of the types `generation`, `embedding`, and `agent`",
  tokens: "As their parts add up to the total",
  cost: "reported or computed",
  runs: "End and duration, by the span of the agent; a trace is a run",
  owns: (scope) => scope === "langfuse-sdk",
  map: genaiSpans.map,
};
