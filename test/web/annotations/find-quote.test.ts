/** Where a quote stands in a text. */
import { describe, expect, test } from "bun:test";
import { type Quote, SearchableText } from "../../../src/web/annotations/find-quote.ts";

const found = (text: string, quote: Quote, near?: number): string | number | null => {
  const range = new SearchableText(text).find(quote, near);
  return range && `${range.start} ${text.slice(range.start, range.end)}`;
};

describe("a quote", () => {
  test("is found across line breaks and runs of spaces, as they are in the text", () => {
    expect(found("  one\r\n\t two  three", { exact: "one two" })).toBe("2 one\r\n\t two");
    expect(found("👩‍🚀 lands", { exact: "🚀 lands" })).toBe("3 🚀 lands");
    expect(found("one two", { exact: "  " })).toBeNull();
    expect(found("one two", { exact: "three" })).toBeNull();
  });

  test("that occurs more than once is the one whose surroundings agree most, then the nearest", () => {
    const text = "a: berth 1\nb: berth 2\na: berth 3\n";
    expect(found(text, { exact: "berth", prefix: "b:" })).toBe("14 berth");
    expect(found(text, { exact: "berth", prefix: "a:", suffix: "3" })).toBe("25 berth");
    expect(found(text, { exact: "berth" }, 30)).toBe("25 berth");
    expect(found(text, { exact: "berth" })).toBe("3 berth");
  });

  test("of one letter in a long text is found without comparing every place", () => {
    expect(found("a".repeat(500_000), { exact: "a", prefix: "a".repeat(256) })).toBe("199 a");
  });
});
