/** Adds the brief to a prompt of the Agent Client Protocol; every other byte of the message stays. */
import { findNodeAtLocation, parseTree } from "jsonc-parser";

/** What the agent reads beside a prompt. */
export interface PromptContext {
  text: string;
  /** Whether the agent takes context as an embedded resource; else it is one more text. */
  isEmbedded: boolean;
}

interface Prompt {
  params?: { prompt?: unknown };
}

/**
 * The message with the context as the last block of its prompt. Last, because agents take a prompt that
 * begins with `/` as a command; such a prompt gets none.
 * @param line a `session/prompt` request
 * @returns null if nothing is added
 */
export function addContext(line: Uint8Array, context: PromptContext): Uint8Array | null {
  const text = decode(line);
  const blocks = text === null ? null : promptOf(text);
  if (text === null || blocks === null || isCommand(blocks)) return null;
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, ["params", "prompt"]);
  if (node?.type !== "array") return null;
  const at = node.offset + node.length - 1;
  const block = JSON.stringify(blockOf(context));
  const added = Buffer.from(blocks.length > 0 ? `,${block}` : block);
  const start = Buffer.byteLength(text.slice(0, at));
  const changed = Buffer.concat([line.subarray(0, start), added, line.subarray(start)]);
  // A message that names `prompt` twice is read by its last one.
  return promptOf(changed.toString())?.length === blocks.length + 1 ? changed : null;
}

const blockOf = ({ text, isEmbedded }: PromptContext): object =>
  isEmbedded
    ? { type: "resource", resource: { uri: "svc://brief", mimeType: "text/markdown", text } }
    : { type: "text", text };

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(line: Uint8Array): string | null {
  try {
    return strict.decode(line);
  } catch {
    return null;
  }
}

function promptOf(text: string): unknown[] | null {
  try {
    const prompt = (JSON.parse(text) as Prompt | null)?.params?.prompt;
    return Array.isArray(prompt) ? prompt : null;
  } catch {
    return null;
  }
}

const isCommand = ([first]: unknown[]): boolean => {
  const { text } = (first ?? {}) as { text?: unknown };
  return typeof text === "string" && text.trimStart().startsWith("/");
};
