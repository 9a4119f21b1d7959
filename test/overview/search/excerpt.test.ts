import { describe, expect, test } from "bun:test";
import { excerptOf, matchedWords } from "../../../src/overview/search/excerpt.ts";

const filler = "word ".repeat(100);

describe("an excerpt", () => {
  test("is the whole text on one line if that is short", () => {
    expect(excerptOf("  Two\n lines ", ["lines"])).toBe("Two lines");
  });

  test("shows the first matched word of a long text, with words before and after it, none of them cut", () => {
    const excerpt = excerptOf(`${filler}the lagoon ${filler}`, ["lagoon"]);
    expect(excerpt).toMatch(/^… (word )+the lagoon (word )*word …$/);
    expect(excerpt.length).toBeLessThan(230);
  });

  test("starts at the beginning if nothing matches, and ends with the text", () => {
    expect(excerptOf(filler, [])).toMatch(/^(word )+…$/);
    expect(excerptOf(`${filler}lagoon`, ["lagoon"])).toMatch(/^… (word )+lagoon$/);
  });

  test("of a text without spaces is cut, and never within a character", () => {
    const excerpt = excerptOf("😀".repeat(300), []);
    expect([excerpt.isWellFormed(), excerpt.length < 230]).toEqual([true, true]);
  });
});

test("matched words are marked as whole words, in any case, with any characters", () => {
  const marked = (text: string, ...words: string[]) => text.replace(matchedWords(words), "[$&]");
  expect(marked("A map, maps, and MAP", "map")).toBe("A [map], maps, and [MAP]");
  expect(marked("note.txt or notextxt", "note.txt")).toBe("[note.txt] or notextxt");
  expect(marked("Über übers", "über")).toBe("[Über] übers");
});
