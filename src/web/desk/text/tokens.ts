/** Splits a text into the tokens that are highlighted. */
import type { Language, TokenKind } from "./languages.ts";

export interface Token {
  kind: TokenKind;
  /** Offsets into the text. */
  start: number;
  end: number;
}

/** What comes later in a text is not highlighted: a page has an element for each token. */
const tokensMax = 20_000;
/** Reading blocks the event loop: 256 KB of code take 30 ms, a text that was made for it ten times as long. */
const timeoutMs = 50;

/** The tokens in the order of the text, without what lies between them. */
export function tokensOf(text: string, { pattern, keywords, tag }: Language): Token[] {
  const tokens: Token[] = [];
  const end = performance.now() + timeoutMs;
  let isInTag = false;
  for (let at = 0; at < text.length && tokens.length < tokensMax && performance.now() < end; ) {
    const current = isInTag && tag ? tag : pattern;
    current.lastIndex = at;
    const found = current.exec(text);
    const length = found?.[0].length || 1;
    const groups = found?.groups ?? {};
    const kind = kindOf(groups, keywords);
    if (groups.open !== undefined) isInTag = true;
    if (groups.close !== undefined) isInTag = false;
    if (kind) tokens.push({ kind, start: at, end: at + length });
    at += length;
  }
  return tokens;
}

function kindOf(
  groups: Record<string, string | undefined>,
  keywords: Language["keywords"],
): TokenKind | null {
  for (const name in groups) {
    const value = groups[name];
    if (value === undefined) continue;
    if (name === "word") return keywords?.has(value) ? "keyword" : null;
    return name === "open" || name === "close" ? "keyword" : (name as TokenKind);
  }
  return null;
}
