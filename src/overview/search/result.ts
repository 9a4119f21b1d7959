/** Builds results: excerpts, URLs, and times. */
import type { Config } from "../../core/config.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { asUri } from "../../core/wire.ts";
import { excerptOf } from "./excerpt.ts";
import type { ResultType, SearchResult } from "./schema.ts";

/** Something that a search found. */
export interface Found {
  type: ResultType;
  id: string;
  project: string | null;
  title: string;
  text?: string;
  /** Path of its page on the website. */
  path?: string | null;
  /** URL elsewhere, if it has no page. */
  source?: string;
  at?: Micros;
  matched?: string[];
  relevance?: number;
}

export function resultOf({ siteUrl }: Pick<Config, "siteUrl">, found: Found): SearchResult {
  const { type, id, project, title, text = "", path = null, source, at, matched = [] } = found;
  return {
    type,
    id,
    project,
    matched,
    title: excerptOf(title, matched),
    text: excerptOf(text, matched),
    url: path !== null ? siteUrl + path : source?.startsWith("https://") ? asUri(source) : null,
    ts: at === undefined ? null : fromMicros(at),
  };
}
