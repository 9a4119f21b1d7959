/** How a file was made, from the tags of a video or audio file, or the comment of a JPEG or GIF. */
import type { MetadataTags } from "mediabunny";
import { fromComfyUi, fromWebUi, type Made, nothing } from "./generators.ts";

/** Texts by the lower-case names of their tags. */
type Tags = ReadonlyMap<string, string>;

/** The texts among the tags of a container, under the names that its writer gave them. */
export function textTags({ raw = {}, comment, description }: MetadataTags): Tags {
  const fields = Object.entries(raw).flatMap(([name, value]) =>
    // A tag of named texts, such as `TXXX` of ID3, holds more of them.
    typeof value === "object" && value?.constructor === Object ? Object.entries(value) : [[name, value]],
  );
  const texts = [...fields, ["comment", comment], ["description", description]].flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[String(name).toLowerCase(), value] as const] : [],
  );
  return new Map(texts);
}

/** Null if no tag is, or holds, a prompt. */
export function fromTags(tags: Tags): Made | null {
  const prompt = tags.get("prompt") ?? "";
  const comments = ["comment", "description", "parameters"].map((name) => tags.get(name) ?? "");
  return (
    fromComfyUi(prompt) ??
    comments
      .map((text) => fromComfyUi(nestedPrompt(text)) ?? fromWebUi(text))
      .find((made) => made !== null) ??
    plain(prompt, tags)
  );
}

/** Nodes of ComfyUI write a comment `{"prompt": …, "workflow": …}`: the prompt is a graph, or its JSON. */
function nestedPrompt(text: string): string {
  try {
    const { prompt } = JSON.parse(text);
    return typeof prompt === "string" ? prompt : JSON.stringify(prompt ?? null);
  } catch {
    return "";
  }
}

/** A model without a prompt is that of a camera. */
const plain = (prompt: string, tags: Tags): Made | null =>
  prompt.trim() === ""
    ? null
    : {
        ...nothing,
        prompt,
        model: tags.get("model") ?? null,
        seed: tags.get("seed") ?? null,
        generator: tags.get("software") ?? null,
      };
