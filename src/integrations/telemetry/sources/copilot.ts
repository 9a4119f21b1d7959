/**
 * Copilot CLI. The span `invoke_agent` repeats the totals of its calls, and its cost is in credits, not USD.
 * Its hooks report runs.
 */
import { classify } from "./conventions.ts";
import { mapCall, spanStep } from "./genai-spans.ts";
import type { Source } from "./source.ts";

const actor = "agent:copilot";

export const copilot: Source = {
  label: "Copilot CLI",
  sends: "Spans `chat`",
  tokens: "Input includes the cache: taken out",
  cost: "computed",
  runs: "By its hooks",
  owns: (scope, service) => scope === "github.copilot" || service === "github-copilot",
  map(record) {
    if (record.signal !== "span" || classify(record)?.role !== "call") return null;
    return mapCall(record, spanStep(record, actor));
  },
};
