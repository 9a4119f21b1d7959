/** The meaning of telemetry: spans of the GenAI semantic conventions, in the project that they name. */
import { cleanLine } from "../lib/clean-text.ts";
import type { Mapping } from "./ingest.ts";
import type { Attributes } from "./records.ts";

const count = (attributes: Attributes, key: string): number => {
  const value = Number(attributes.get(key) ?? 0);
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
};

const text = (attributes: Attributes, key: string): string | null =>
  cleanLine(String(attributes.get(key) ?? ""), 128) || null;

export const telemetryMapping: Mapping<string | null> = {
  mapRecord(record) {
    if (record.signal !== "span") return null;
    const { attributes, resource, spanId, traceId, startNanos, endNanos } = record;
    if (attributes.get("gen_ai.operation.name") !== "chat") return null;
    const model = text(attributes, "gen_ai.response.model") ?? text(attributes, "gen_ai.request.model");
    const actor = `agent:${(text(resource, "service.name") ?? "unknown").replaceAll(" ", "-")}`;
    return {
      event: {
        ...{ kind: "step.usage", actor, model, summary: `Called ${model ?? "a model"}` },
        tokens_in: count(attributes, "gen_ai.usage.input_tokens"),
        tokens_out: count(attributes, "gen_ai.usage.output_tokens"),
        duration_ms: Math.max(0, Number((endNanos - startNanos) / 1_000_000n)),
        run_id: text(attributes, "gen_ai.conversation.id") ?? (traceId || null),
        dedupe_key: `otlp:${actor}:${spanId}`,
      },
      place: text(resource, "svc.project"),
    };
  },
  async placeRecords({ data }, caller, mapped) {
    const slugs = new Set(mapped.flatMap(({ place }) => place ?? []));
    const linked = new Set<string>();
    for (const slug of slugs) if (await data.project(caller.projects, slug)) linked.add(slug);
    return mapped.map(({ place }) =>
      place !== null && linked.has(place)
        ? { project: place }
        : { reason: "the resource names no project of svc" },
    );
  },
};
