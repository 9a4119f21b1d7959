/** Spans of the Langfuse SDKs (JavaScript 4 and later, Python 3 and later), which name usage in JSON. */
import type { SpanRecord } from "../records.ts";
import { agentName } from "./conventions.ts";
import { spanStep } from "./genai-spans.ts";
import type { Source, Unplaced } from "./source.ts";
import { failedStep, runEvent, toActor, usageStep } from "./step.ts";
import { costOfDetails, readUsage } from "./usage.ts";
import { addCounts, fieldsOfText } from "./usage-counts.ts";
import { readName } from "./values.ts";

const prefix = "langfuse.observation.";

function mapSpan(span: SpanRecord): Unplaced | null {
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
    model: readName(attributes, `${prefix}model.name`),
    cost: costOfDetails(fieldsOfText(String(attributes.get(`${prefix}cost_details`)))),
  };
  const usage = readUsage(addCounts(new Map(), attributes.get(`${prefix}usage_details`)));
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
  map: (record) => (record.signal === "span" ? mapSpan(record) : null),
};
