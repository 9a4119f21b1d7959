/** Where a quote stands in a text. */
import { describe, expect, test } from "bun:test";
import { type Quote, SearchableText, type TextRange } from "../../../src/web/annotations/text/find-quote.ts";

const found = (text: string, quote: Quote, near?: TextRange): string | null => {
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

  test("that occurs more than once is the one whose surroundings agree most, on the lines that are named first", () => {
    const text = "a: berth 1\nb: berth 2\na: berth 3\n";
    expect(found(text, { exact: "berth", prefix: "b:" })).toBe("14 berth");
    expect(found(text, { exact: "berth", prefix: "a:", suffix: "3" })).toBe("25 berth");
    expect(found(text, { exact: "berth" }, { start: 22, end: 33 })).toBe("25 berth");
    expect(found(text, { exact: "berth", suffix: "3" }, { start: 0, end: 11 })).toBe("3 berth");
    expect(found(text, { exact: "berth 3" }, { start: 0, end: 11 })).toBe("25 berth 3");
    expect(found(text, { exact: "berth" })).toBe("3 berth");
  });

  test("of a page is found in its source, between tags and entities", () => {
    const source = "<h1>Report</h1><p>Two &amp;\n <b>three</b>s fail</p><!-- no --><p>Three</p>";
    const onPage = (exact: string) => {
      const range = new SearchableText(source, "html").find({ exact });
      return range && source.slice(range.start, range.end);
    };
    expect(onPage("Report Two & threes")).toBe("Report</h1><p>Two &amp;\n <b>three</b>s");
    expect(onPage("fail Three")).toBe("fail</p><!-- no --><p>Three");
    expect(onPage("no")).toBeNull();
    expect(onPage("Two &")).toBe("Two &amp;");
  });

  test("of one letter in a long text is found without comparing every place", () => {
    expect(found("a".repeat(500_000), { exact: "a", prefix: "a".repeat(256) })).toBe("199 a");
  });
});
