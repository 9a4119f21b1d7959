/** The parts of a notice that every service lays out, escaped and cut. */
import type { Notice } from "../notices/notice.ts";
import { toneStyles } from "../notices/notice.ts";
import { fit } from "./text.ts";

export interface Parts {
  emoji: string;
  title: string;
  /** One line; empty without facts. */
  facts: string;
  /** Lines; none without a quote. */
  quote: string[];
}

/**
 * In UTF-16 code units when escaped. Six notices fit into the smallest message, Telegram's 4096 characters,
 * and one fits into all.
 */
const limitsOf = (isOnly: boolean) =>
  isOnly ? { title: 250, facts: 500, quote: 1500 } : { title: 180, facts: 160, quote: 160 };

/** @param isOnly whether the message holds no other notice, so that this one has more space */
export function partsOf(
  { tone, title, facts, quote }: Notice,
  isOnly: boolean,
  escapeText: (text: string) => string = String,
): Parts {
  const limits = limitsOf(isOnly);
  return {
    emoji: toneStyles[tone].emoji,
    title: fit(title, { max: limits.title, escapeText }),
    facts: fit(facts.join(" · "), { max: limits.facts, escapeText }),
    quote: quote ? fit(quote, { max: limits.quote, escapeText }).split("\n") : [],
  };
}
