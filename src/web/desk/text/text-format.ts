/** How a text is shown, by the extension of its name or, without one, by how it begins. */
import type { Asset } from "../../../library/assets/schema.ts";
import { type Language, languageOf, languages } from "./languages.ts";

export interface TextFormat {
  /** Null for a text that only has lines. */
  form: "table" | "page" | "formatted" | null;
  language: Language | null;
}

const forms: Record<string, TextFormat["form"]> = {
  csv: "table",
  tsv: "table",
  tab: "table",
  md: "page",
  markdown: "page",
};

type Named = Pick<Asset, "kind" | "mime" | "url" | "bundle_url">;

/** The extension in lower case, which the URL of a file ends with; empty without one. */
export const extensionOf = ({ url, bundle_url }: Pick<Asset, "url" | "bundle_url">): string =>
  /(?:[^/]*\.|\/)([^./]+)$/.exec(new URL(bundle_url ?? url ?? "file:///").pathname)?.[1]?.toLowerCase() ?? "";

export function formatOf(asset: Named, text: string): TextFormat {
  const extension = extensionOf(asset);
  if (asset.kind === "html") return { form: null, language: languages.markup };
  if (forms[extension]) return { form: forms[extension], language: languageOf(extension) };
  const language = isXml(asset.mime)
    ? languages.markup
    : (languageOf(extension) ?? (isJson(text) ? languages.json : null));
  const isData = language === languages.json || language === languages.markup;
  return { form: isData ? "formatted" : null, language };
}

export const isXml = (mime: string): boolean => /^application\/(?:[\w.-]+\+)?xml$/.test(mime);

/** A longer text is taken for JSON by how it begins. */
const parsedCharacters = 64 * 1024;

function isJson(text: string): boolean {
  if (!/^\s*(?:\{\s*["}]|\[\s*[[\]{"\w-])/.test(text)) return false;
  if (text.length > parsedCharacters) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
