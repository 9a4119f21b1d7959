/** The formats in which image generators write how they made an image. */
import type { Provenance } from "../../provenance/schema.ts";

export type Made = Omit<Provenance, "source">;

export const nothing: Made = {
  generator: null,
  model: null,
  prompt: null,
  negative_prompt: null,
  seed: null,
  parameters: null,
};

/**
 * Text of the Stable Diffusion web UI and its relatives: the prompt, `Negative prompt: …`, and a line
 * `Steps: 20, Sampler: …, Seed: …, Model: …`. Null if it is not that.
 */
export function fromWebUi(text: string): Made | null {
  const [, before, settings] = /^(.*?)(?:^|\n)(Steps: \d[^\n]*)/s.exec(text) ?? [];
  if (before === undefined || settings === undefined) return null;
  const [prompt, negative] = before.split(/(?:^|\n)Negative prompt: ?/);
  const setting = (name: string) =>
    new RegExp(`(?:^|, )${name}: ("(?:[^"\\\\]|\\\\.)*"|[^,]*)`).exec(settings)?.[1]?.trim() || null;
  return {
    generator: "Stable Diffusion web UI",
    model: setting("Model"),
    seed: setting("Seed"),
    prompt: prompt?.trim() || null,
    negative_prompt: negative?.trim() || null,
    parameters: settings,
  };
}

type Inputs = Record<string, unknown>;
interface Node {
  class_type?: string;
  inputs?: Inputs;
}

const linksMax = 12;

/** The prompt of ComfyUI: a graph of nodes by id, in JSON. Null if it is not that, or has no sampler. */
export function fromComfyUi(text: string): Made | null {
  const graph = parseObject(text) as Record<string, Node> | null;
  const nodes = Object.values(graph ?? {}).filter((node) => typeof node?.class_type === "string");
  const sampler = nodes.find(({ inputs }) => inputs && "positive" in inputs && "negative" in inputs);
  if (!graph || !sampler?.inputs) return null;
  const { positive, negative, seed, noise_seed, model, ...settings } = sampler.inputs;
  const numbers = ["steps", "cfg", "sampler_name", "scheduler", "denoise"].flatMap((name) =>
    isPlain(settings[name]) ? [`${name} ${settings[name]}`] : [],
  );
  return {
    generator: "ComfyUI",
    model: follow(graph, model, ["ckpt_name", "unet_name", "model_name"]),
    prompt: follow(graph, positive, ["text", "text_g", "value", "string"]),
    negative_prompt: follow(graph, negative, ["text", "text_g", "value", "string"]),
    seed: plainText(seed ?? noise_seed) ?? follow(graph, seed ?? noise_seed, ["seed", "value"]),
    parameters: numbers.join(", ") || null,
  };
}

const isPlain = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";
const plainText = (value: unknown): string | null => (isPlain(value) ? String(value) : null);

/** Follows links, `[node id, output]`, until a node has one of these inputs as a text or a number. */
function follow(graph: Record<string, Node>, link: unknown, names: string[], links = 0): string | null {
  if (!Array.isArray(link) || links > linksMax) return null;
  const inputs = graph[String(link[0])]?.inputs;
  if (!inputs) return null;
  const named = names.map((name) => plainText(inputs[name])).find((value) => value !== null);
  if (named !== undefined) return named;
  for (const next of Object.values(inputs)) {
    const found = follow(graph, next, names, links + 1);
    if (found !== null) return found;
  }
  return null;
}

/** The metadata of InvokeAI, in JSON. */
export function fromInvokeAi(text: string): Made | null {
  const found = parseObject(text);
  if (!found || !("positive_prompt" in found)) return null;
  const { positive_prompt, negative_prompt, seed, model, steps, cfg_scale, scheduler } = found;
  const named = model as { name?: unknown; model_name?: unknown } | undefined;
  const settings = { steps, cfg_scale, scheduler };
  return {
    generator: "InvokeAI",
    model: plainText(named?.name ?? named?.model_name ?? model),
    prompt: plainText(positive_prompt) || null,
    negative_prompt: plainText(negative_prompt) || null,
    seed: plainText(seed),
    parameters:
      Object.entries(settings)
        .flatMap(([name, value]) => (isPlain(value) ? [`${name} ${value}`] : []))
        .join(", ") || null,
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
