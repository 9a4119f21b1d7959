/**
 * The conventions that frameworks name spans by: which span is one call of a model, which is an agent or a
 * workflow around such calls, and which attributes hold what. Spans around calls repeat the totals of the
 * calls, so only calls are counted.
 */
import type { Attributes, SpanRecord } from "../records.ts";
import type { Counting } from "./usage.ts";
import { countsOfAttributes } from "./usage-counts.ts";
import { readName } from "./values.ts";

/** A call of a model, an agent or workflow that makes calls, or anything else. */
export type Role = "call" | "agent" | "other";

export interface Convention {
  label: string;
  /** Null: the span is not of this convention. */
  role(span: SpanRecord): Role | null;
}

const modelCalls = new Set(["chat", "text_completion", "generate_content", "embeddings", "completion"]);
const agentRuns = new Set(["invoke_agent", "invoke_workflow", "create_agent_run"]);
/** Operations that are no calls, whatever they repeat of the usage of calls. */
const otherOperation = /agent|chain|chunk|graph|memory|plan|retriev|search|step|task|tool|workflow/;
/** Of the Agent Development Kit, around `generate_content`, whose usage it repeats. */
const wrapperName = "call_llm";

/** Whether a span names its model, and what that used: it is a call, however its operation is named. */
const saysUsage = ({ attributes, name }: SpanRecord): boolean =>
  name !== wrapperName &&
  readName(attributes, ...names.model) !== undefined &&
  countsOfAttributes(attributes).size > 0;

/** The role of a kind of span, in any case. */
const roleOfKind = (kind: string, calls: readonly string[]): Role =>
  calls.includes(kind.toLowerCase()) ? "call" : kind.toLowerCase() === "agent" ? "agent" : "other";

const innerOperation = /\.do[A-Z]\w*$/;
const outerOperation = /^ai\.(generate|stream)/;

/** First match wins: a span can have the attributes of several. */
export const conventions = {
  langfuse: {
    label: "Langfuse",
    /** Langfuse itself takes a span that names a model for a generation. */
    role({ attributes }) {
      const type = attributes.get("langfuse.observation.type");
      if (typeof type === "string") return roleOfKind(type, ["generation", "embedding"]);
      return attributes.get("langfuse.observation.model.name") === undefined ? null : "call";
    },
  },
  mlflow: {
    label: "MLflow",
    role({ attributes }) {
      const type = readName(attributes, "mlflow.spanType");
      return type === undefined ? null : roleOfKind(type, ["chat_model", "llm", "embedding"]);
    },
  },
  "ai-sdk": {
    label: "Vercel AI SDK 4 to 6",
    /** `ai.generateText.doGenerate` within `ai.generateText`; `ai.toolCall` beside it. */
    role({ attributes }) {
      const operation = attributes.get("ai.operationId");
      if (typeof operation !== "string") return null;
      if (innerOperation.test(operation)) return "call";
      return outerOperation.test(operation) ? "agent" : "other";
    },
  },
  openinference: {
    label: "OpenInference",
    role({ attributes }) {
      const kind = attributes.get("openinference.span.kind");
      return typeof kind === "string" ? roleOfKind(kind, ["llm", "embedding"]) : null;
    },
  },
  genai: {
    label: "OpenTelemetry GenAI",
    role(span) {
      const { attributes, scope, name } = span;
      const operation = attributes.get("gen_ai.operation.name");
      // Version 1 of Pydantic AI names no operation of an agent.
      if (typeof operation !== "string")
        return scope === "pydantic-ai" && name === "agent run" ? "agent" : null;
      if (modelCalls.has(operation)) return "call";
      if (agentRuns.has(operation)) return "agent";
      return otherOperation.test(operation) || !saysUsage(span) ? "other" : "call";
    },
  },
  traceloop: {
    label: "OpenLLMetry (Traceloop)",
    role({ attributes }) {
      if (typeof attributes.get("llm.request.type") === "string") return "call";
      const kind = attributes.get("traceloop.span.kind");
      if (typeof kind !== "string") return null;
      return kind === "workflow" ? "agent" : "other";
    },
  },
  client: {
    label: "Spans without an operation: of a client, or with a model and its usage",
    role(span) {
      const { kind, attributes } = span;
      const isOfClient = kind === clientKind && readName(attributes, ...names.provider) !== undefined;
      return isOfClient || saysUsage(span) ? "call" : null;
    },
  },
} as const satisfies Record<string, Convention>;

/** `SPAN_KIND_CLIENT`. */
const clientKind = 3;

/** The attributes of a call, the present name first; see `/docs/connect`. */
export const names = {
  provider: [
    ...["gen_ai.provider.name", "gen_ai.system", "ai.model.provider", "llm.provider", "llm.system"],
    ...["mlflow.llm.provider", "provider"],
  ],
  model: [
    ...["langfuse.observation.model.name", "gen_ai.response.model", "ai.response.model"],
    ...["gen_ai.request.model", "llm.model_name", "embedding.model_name", "ai.model.id"],
    ...["llm.response.model", "llm.request.model", "mlflow.llm.model"],
    ...["gen_ai.model", "llm.model", "model_name", "model"],
  ],
  conversation: ["gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id"],
  agent: [
    "gen_ai.agent.name",
    "agent.name",
    "agent_name",
    "traceloop.entity.name",
    "ai.telemetry.functionId",
  ],
} as const satisfies Record<string, readonly string[]>;

/**
 * How the sender of a call counts. Versions 4 and 5 of the AI SDK hand on the input of Anthropic and Bedrock
 * as it is, without the cache, and so does OpenLIT; OpenLLMetry for Bedrock also leaves it out of the total.
 */
export function countingOf({ attributes, scope }: SpanRecord): Counting {
  const about = `${readName(attributes, ...names.provider)} ${readName(attributes, ...names.model)}`;
  const isAiSdk = attributes.get("ai.operationId") !== undefined;
  const leavesCacheOut =
    /^(?:opentelemetry\.instrumentation\.bedrock|openlit\.instrumentation\.(?:anthropic|bedrock))$/.test(
      scope,
    ) ||
    (isAiSdk &&
      attributes.get("ai.usage.inputTokenDetails.cacheReadTokens") === undefined &&
      /anthropic|claude|bedrock/.test(about));
  const cache = leavesCacheOut ? "beside" : "inside";
  if (!/gemini|google|vertex/.test(about)) return { cache };
  return {
    cache,
    thoughts: scope === "openlit.instrumentation.google_ai_studio" ? "beside" : "by the total",
  };
}

/** The role of a span, and the key of the convention that says so. */
export function classify(span: SpanRecord): { role: Role; convention: keyof typeof conventions } | null {
  for (const key of Object.keys(conventions) as (keyof typeof conventions)[]) {
    const role = conventions[key].role(span);
    if (role !== null) return { role, convention: key };
  }
  return null;
}

const kindNames = [
  ...["gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "ai.operationId"],
  ...["langfuse.observation.type", "mlflow.spanType"],
];

/** Whether a span is of an agent or a tool: a call in it is not the one around it. */
export const beginsWork = ({ attributes }: SpanRecord): boolean =>
  kindNames.some((name) => /agent|tool/i.test(String(attributes.get(name))));

/** The agent's own name, or the name of the service, unless an SDK made that up. */
export function agentName(attributes: Attributes, resource: Attributes): string | undefined {
  const service = readName(resource, "service.name");
  return (
    readName(attributes, ...names.agent) ?? (service?.startsWith("unknown_service") ? undefined : service)
  );
}
