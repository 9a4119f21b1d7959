/** What the formats of chat services share: parts of a message, limits, and answers. */
import { lazy } from "../../../../core/lib/lazy.ts";
import { type Notice, toneStyles } from "../notices/notice.ts";
import type { Answer, Message, Outcome } from "./chat-service.ts";

export interface Fit {
  /** The most that the escaped text may measure. */
  max: number;
  /** Must be able to escape each character by itself. */
  escapeText?: (text: string) => string;
  /**
   * Default: UTF-16 code units. Services that count code points count fewer, so this is safe where their
   * documentation says "characters" only.
   */
  measure?: (text: string) => number;
}

const graphemes = lazy(() => new Intl.Segmenter());
const identity = (text: string): string => text;
const codeUnits = (text: string): number => text.length;
export const utf8Bytes = (text: string): number => Buffer.byteLength(text);

/** Returns the escaped text, cut between graphemes and ended with `…` if it is too long. */
export function fit(text: string, { max, escapeText = identity, measure = codeUnits }: Fit): string {
  const whole = escapeText(text);
  if (measure(whole) <= max) return whole;
  let left = max - measure("…");
  let cut = "";
  // Escaping never shortens, so no more than `max` code units can fit.
  for (const { segment } of graphemes().segment(text.slice(0, max))) {
    const escaped = escapeText(segment);
    left -= measure(escaped);
    if (left < 0) break;
    cut += escaped;
  }
  return `${cut.trimEnd()}…`;
}

/**
 * Puts a zero-width space after each `@`, so that a text cannot mention people or everyone in a channel; the
 * text looks the same.
 */
export const withoutMentions = (text: string): string => text.replaceAll("@", "@\u200b");

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

/** A path of any name. */
export const anyPath = /^\/./;

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

export function parseObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** @param seconds as a service says it, in JSON */
export const retryAfter = (seconds: unknown): Pick<Outcome, "retryAfterMs"> =>
  typeof seconds === "number" && seconds >= 0 ? { retryAfterMs: Math.ceil(seconds * 1000) } : {};

export const outcomeOf = (
  ok: boolean,
  isPermanent: boolean,
  wait: Pick<Outcome, "retryAfterMs"> = {},
): Outcome => ({
  ok,
  ...wait,
  ...(!ok && isPermanent && { isPermanent }),
});

export const jsonMessage = (body: object): Message => ({
  body: JSON.stringify(body),
  contentType: "application/json",
});
