/** The counts in what a sender says of usage, and the names that providers and frameworks give them. */
import type { Attributes } from "../records.ts";
import { toCount } from "./values.ts";

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Counts by name: in snake case, behind the names of objects: `prompt_tokens_details.cached_tokens`. */
export type Counts = Map<string, number>;

/** Objects of usage nest this deep at most. */
const depthMax = 4;

/** Adds the counts in a value, which can be the JSON text of an object, or what Python prints for one. */
export function addCounts(counts: Counts, value: unknown, name = "", depth = 0): Counts {
  const count = toCount(value);
  if (count !== undefined) {
    if (!counts.has(name)) counts.set(name, count);
    return counts;
  }
  const inner = typeof value === "string" ? fieldsOfText(value) : value;
  const entries = Array.isArray(inner)
    ? inner.flatMap(modalityOf)
    : Object.entries(isFields(inner) ? inner : {});
  if (depth < depthMax)
    for (const [key, one] of entries)
      addCounts(counts, one, name === "" ? toSnakeCase(key) : `${name}.${toSnakeCase(key)}`, depth + 1);
  return counts;
}

/** Gemini lists what it counted by modality: `{ modality: "AUDIO", tokenCount: 12 }`. */
const modalityOf = (item: unknown): [string, unknown][] =>
  isFields(item) && typeof item.modality === "string" ? [[item.modality.toLowerCase(), item.tokenCount]] : [];

export const toSnakeCase = (name: string): string =>
  name.replace(/[a-z\d][A-Z]/g, ([before, after]) => `${before}_${after}`).toLowerCase();

/** Usage is a few numbers; longer text is none. */
const textMax = 4096;

const jsonOfPython = (word: string): string => (word === "None" ? "null" : word.toLowerCase());

/** The object in a text; null for any other text. */
export function fieldsOfText(text: string, lengthMax = textMax): Fields | null {
  if (!text.startsWith("{") || text.length > lengthMax) return null;
  for (const json of [text, text.replaceAll("'", '"').replace(/\b(?:None|True|False)\b/g, jsonOfPython)])
    try {
      const value: unknown = JSON.parse(json);
      return isFields(value) ? value : null;
    } catch {}
  return null;
}

export const countNames = {
  input: [
    ...["prompt_tokens", "input_tokens", "prompt", "prompt_token_count", "input_token_count"],
    ...["billed_units.input_tokens", "tokens.input_tokens", "tokens"],
  ],
  output: [
    ...["completion_tokens", "output_tokens", "completion", "candidates_token_count", "response_token_count"],
    ...["output_token_count", "billed_units.output_tokens", "tokens.output_tokens"],
  ],
  total: ["total", "total_tokens", "total_token_count"],
  cacheRead: [
    ...["cache_read.input_tokens", "cache_read_input_tokens", "cache_read_tokens", "cache_read"],
    ...["input_token_details.cache_read_tokens", "input_token_details.cache_read", "cached_input_tokens"],
    ...["prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "input_tokens.cached"],
    ...["input_token_details.cached_tokens", "prompt_details.cache_read", "prompt_details.cache_input"],
    ...["cached_tokens", "cached_prompt_tokens", "cached_prompt_text_tokens", "prompt_cache_hit_tokens"],
    ...["cached_content_token_count", "cached_content_tokens", "cache_read_input_token_count"],
    ...["input_cached_tokens", "input_cache_read", "input_cached", "input_cache_read_tokens"],
  ],
  cacheWrite: [
    ...["cache_write.input_tokens", "cache_creation.input_tokens", "cache_creation_input_tokens"],
    ...["cache_write_tokens", "cache_creation_tokens", "cache_write_input_tokens", "cache_write"],
    ...["cache_creation", "input_cache_write_tokens", "input_cache_creation_tokens"],
    ...["input_token_details.cache_write_tokens", "input_token_details.cache_creation"],
    ...["prompt_tokens_details.cache_write_tokens", "prompt_tokens_details.cache_creation_tokens"],
    ...["input_tokens_details.cache_write_tokens", "input_tokens.cache_write", "prompt_details.cache_write"],
    ...["cache_write_input_token_count", "input_cache_creation", "input_cache_write"],
  ],
  /** Beside the prompt and the answer of Gemini. */
  toolUse: ["tool_use_prompt_token_count", "tool_use_prompt_tokens"],
  thoughts: ["thoughts_token_count", "thoughts_tokens"],
  reasoning: [
    ...["completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens"],
    ...["output_token_details.reasoning", "completion_details.reasoning", "reasoning_tokens"],
  ],
  inputAudio: [
    ...["prompt_tokens_details.audio_tokens", "input_token_details.audio", "prompt_details.audio"],
    ...["input_audio_tokens", "input_audio", "prompt_tokens_details.audio"],
  ],
  outputAudio: [
    ...["completion_tokens_details.audio_tokens", "output_token_details.audio", "completion_details.audio"],
    ...["output_audio_tokens", "output_audio", "candidates_tokens_details.audio"],
  ],
} as const satisfies Record<string, readonly string[]>;

/** What a framework puts beside its own names, and objects that usage is in. */
const prefixes = ["", "details.", "usage.", "details.usage.", "usage_metadata.", "details.usage_metadata."];

export const find = (counts: Counts, wanted: readonly string[]): string | undefined => {
  for (const prefix of prefixes)
    for (const name of wanted) if (counts.has(prefix + name)) return prefix + name;
  return undefined;
};

/** What the provider said beside its answer, by provider: of the AI SDK. */
export const providerMetadata = "ai.response.providerMetadata";

/** Attributes that are a count: by convention, and by the plain names of spans that programs make. */
const countName =
  /^(?:(?:\w+\.usage|llm\.token_count)(?:\.|$)|(?:(?:gen_ai|llm|ai)\.(?:response\.)?)?(?=(?:input|output|prompt|completion|total|reasoning|cached|cache_\w+)_(?:input_)?tokens$))/;

/** The counts in the attributes of a span. */
export function countsOfAttributes(attributes: Attributes): Counts {
  const counts: Counts = new Map();
  for (const key of attributes.keys()) {
    const name = toSnakeCase(key);
    const [prefix] = countName.exec(name) ?? [];
    if (prefix !== undefined) addCounts(counts, attributes.get(key), name.slice(prefix.length));
  }
  // Versions 4 and 5 of the AI SDK name the cache only there.
  const metadata = attributes.get(providerMetadata);
  for (const one of Object.values((typeof metadata === "string" && fieldsOfText(metadata)) || {}))
    addCounts(counts, one, "details");
  return counts;
}

/** Attributes that hold the usage as the API of a provider, or LangChain, gave it. */
export const usageObject = /(?:^|[._])(?:usage(?:[._](?:raw|object|metadata|details))?|token_usage)$/;
/** The answer of the provider as it came, with its usage: of OpenInference, MLflow and LangSmith. */
const wholeAnswers = ["output.value", "mlflow.spanOutputs", "gen_ai.completion"] as const;

/** Whether an attribute holds counts. */
export const holdsCounts = (key: string): boolean =>
  [countName, usageObject].some((pattern) => pattern.test(toSnakeCase(key)));

/**
 * The counts in objects that are attributes of a span as text.
 * @param isAnswerRead whether to look for them in the whole answer too
 */
export function countsOfObjects(attributes: Attributes, isAnswerRead: boolean): Counts {
  const counts: Counts = new Map();
  for (const key of attributes.keys()) {
    if (!usageObject.test(toSnakeCase(key))) continue;
    const text = attributes.get(key);
    if (typeof text === "string") addCounts(counts, text);
  }
  const answer = isAnswerRead
    ? attributes.get(wholeAnswers.find((key) => attributes.get(key)) ?? "")
    : undefined;
  const fields = typeof answer === "string" ? fieldsOfText(answer, answer.length) : null;
  // LangChain has usage metadata of its own, and what the provider said beside it.
  for (const name of ["usage", "token_usage", "usageMetadata", "usage_metadata"])
    addCounts(counts, objectIn(fields, name));
  return counts;
}

/** An answer of LangChain has its usage some levels deep. */
const answerDepthMax = 10;

/** The first object of this name in a value, if there is one. */
function objectIn(value: unknown, name: string, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > answerDepthMax) return undefined;
  const own = (value as Fields)[name];
  if (isFields(own)) return own;
  return Object.values(value).reduce((found, one) => found ?? objectIn(one, name, depth + 1), undefined);
}
