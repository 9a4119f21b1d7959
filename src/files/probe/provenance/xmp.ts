/** What XMP says of how an image was made: IPTC's digital source type and its fields of AI (2025.1). */
import type { Made } from "./generators.ts";
import { nothing } from "./generators.ts";

const sourceTypes: Record<string, string> = {
  trainedAlgorithmicMedia: "made by a model",
  compositeWithTrainedAlgorithmicMedia: "partly made by a model",
  compositeSynthetic: "partly synthetic",
  algorithmicMedia: "made by an algorithm",
};

/** IPTC's digital source type in words; null for one that names no model. @param uri its last segment counts */
export const describeSourceType = (uri: string): string | null =>
  sourceTypes[uri.split("/").at(-1) ?? ""] ?? null;

/** Null if it says nothing of that. */
export function fromXmp(xmp: string): Made | null {
  const made: Made = {
    ...nothing,
    generator: field(xmp, "AISystemUsed") ?? field(xmp, "CreatorTool"),
    prompt: field(xmp, "AIPromptInformation"),
    parameters: describeSourceType(field(xmp, "DigitalSourceType") ?? ""),
  };
  return made.prompt !== null || made.parameters !== null ? made : null;
}

/** A property as an attribute or as an element, also within an `rdf:Alt`; other RDF is not read. */
function field(xmp: string, name: string): string | null {
  const attribute = new RegExp(`:${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(xmp);
  const element = new RegExp(`:${name}[^>]*>(?:\\s*<rdf:[^>]*>)*([^<]+)<`).exec(xmp);
  const resource = new RegExp(`:${name}[^>]*rdf:resource="([^"]*)"`).exec(xmp);
  const found = resource?.[1] ?? attribute?.[1] ?? attribute?.[2] ?? element?.[1];
  return found?.trim() ? unescapeXml(found.trim()) : null;
}

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const unescapeXml = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] as string);
