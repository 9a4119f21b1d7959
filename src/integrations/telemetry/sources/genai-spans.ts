/**
 * Sources that send spans: frameworks, by the GenAI conventions of OpenTelemetry and those before them;
 * Copilot CLI; and the Langfuse SDKs.
 */
import type { Attributes, SpanRecord } from "../records.ts";
import { agentName, classify, leavesCacheOut, names } from "./conventions.ts";
import type { Source, Unplaced } from "./source.ts";
import { failedStep, keyOf, runEvent, type Step, toActor, usageStep } from "./step.ts";
import { costOfDetails, readUsage } from "./usage.ts";
import { addCounts, countsOfAttributes, fieldsOfText } from "./usage-counts.ts";
import { readName, toAmount, toCode } from "./values.ts";

/** Maps a call of a model. @returns null for a call that neither failed nor says what it used */
function mapCall(span: SpanRecord, step: Step): Unplaced | null {
  const { attributes, failed } = span;
  const usage = readUsage(countsOfAttributes(attributes), leavesCacheOut(span) ? "beside" : "inside");
  if (usage) return usageStep(step, usage);
  return failed ? failedStep(step, toCode(attributes.get("error.type"))) : null;
}

/** Pydantic AI says 0 where it knows no price. */
function costOf(attributes: Attributes): number | undefined {
  const first = (keys: readonly string[]) => keys.map((key) => toAmount(attributes.get(key))).find(Boolean);
  const [input = 0, output = 0] = [first(names.inputCost), first(names.outputCost)];
  return first(names.cost) ?? (input + output || undefined);
}

/** What a call and the agent around it have in common. */
function spanStep(span: SpanRecord, actor: string): Step {
  const { attributes, startNanos, endNanos, traceId, spanId } = span;
  return {
    actor,
    run: readName(attributes, ...names.conversation),
    model: readName(attributes, ...names.model),
    provider: readName(attributes, ...names.provider),
    cost: costOf(attributes),
    duration: startNanos
      ? Number((endNanos > startNanos ? endNanos - startNanos : 0n) / 1_000_000n)
      : undefined,
    // The start: calls would else all happen at the end of their run.
    nanos: startNanos || endNanos,
    key: keyOf(traceId, spanId),
  };
}

/** Of attributes that the Langfuse SDKs, and programs that send to Langfuse, name a span by. */
const prefix = "langfuse.observation.";

function mapSpan(span: SpanRecord): Unplaced | null {
  if (span.attributes.get(`${prefix}type`) !== undefined) return mapLangfuseSpan(span);
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

/** Spans of the Langfuse SDKs (JavaScript 4 and later, Python 3 and later), which name usage in JSON. */
function mapLangfuseSpan(span: SpanRecord): Unplaced | null {
  const { attributes, resource, parentSpanId, traceId, endNanos, failed } = span;
  const type = attributes.get(`${prefix}type`);
  const actor = toActor(agentName(attributes, resource) ?? "langfuse");
  const step = spanStep(span, actor);
  if (type === "agent") {
    const end = { ...step, run: step.run ?? traceId, nanos: endNanos || step.nanos };
    const kind = failed ? "run.failed" : "run.finished";
    return runEvent(kind, end, `${actor.slice("agent:".length)} ${failed ? "failed" : "finished"}`);
  }
  if (type !== "generation" && type !== "embedding") return null;
  const call = {
    ...step,
    run: step.run ?? (parentSpanId === "" ? undefined : traceId),
    model: readName(attributes, `${prefix}model.name`) ?? step.model,
    cost: costOfDetails(fieldsOfText(String(attributes.get(`${prefix}cost_details`)))) ?? step.cost,
  };
  const details = readUsage(addCounts(new Map(), attributes.get(`${prefix}usage_details`)));
  const usage = details ?? readUsage(countsOfAttributes(attributes), "inside");
  if (usage) return usageStep(call, usage);
  return failed ? failedStep(call, undefined) : null;
}

export const langfuse: Source = {
  label: "Langfuse SDK 4 and 5 (JavaScript), 3 (Python)",
  sends: "Spans of the types `generation`, `embedding`, and `agent`",
  tokens: "As their parts add up to the total",
  cost: "reported or computed",
  runs: "End and duration, by the span of the agent; a trace is a run",
  owns: (scope) => scope === "langfuse-sdk",
  map: (record) => (record.signal === "span" ? mapLangfuseSpan(record) : null),
};
