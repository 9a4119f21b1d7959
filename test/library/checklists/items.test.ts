/** Items of checklists: their ids and their lines. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { itemsOfLines, lineOfItem, withIds } from "../../../src/library/checklists/items.ts";

describe("items", () => {
  test("are named by their text, without accents, and never twice the same", () => {
    const ids = withIds(
      [{ text: "Logo visible?" }, { text: "logo visible!" }, { text: "Café ok" }, { text: "…" }],
      [],
    );
    expect(ids.map(({ id }) => id)).toEqual(["logo-visible", "logo-visible-2", "cafe-ok", "item"]);
    expect(ids.every(({ required }) => required)).toBe(true);
  });

  test("keep the id of the version before, also when they move", () => {
    const before = [{ id: "logo", text: "Logo visible", required: true }];
    expect(withIds([{ text: "Sound" }, { text: "Logo visible", required: false }], before)).toEqual([
      { id: "sound", text: "Sound", required: true },
      { id: "logo", text: "Logo visible", required: false },
    ]);
  });

  test("that are there twice are refused", () => {
    expect(() => withIds([{ text: "Logo" }, { text: "Logo" }], [])).toThrow('"Logo" is there twice');
    expect(() =>
      withIds(
        [
          { id: "a", text: "Logo" },
          { id: "a", text: "Sound" },
        ],
        [],
      ),
    ).toThrow('"a" is there');
  });

  test("are read from lines with and without list marks", () => {
    const lines = "# Images\n\nLogo visible\n- Colors match (optional)\n* [ ] Sharp\r\n";
    expect(itemsOfLines(lines)).toEqual([
      { text: "Logo visible", required: true },
      { text: "Colors match", required: false },
      { text: "Sharp", required: true },
    ]);
  });

  test("read from the lines that they are shown as are the same", () => {
    const text = fc.stringMatching(/^[a-z][a-z ]{0,60}[a-z]$/);
    const items = fc.uniqueArray(fc.record({ text, required: fc.boolean() }), {
      selector: (one) => one.text,
    });
    fc.assert(
      fc.property(items, (given) => {
        const named = withIds(given, []);
        expect(new Set(named.map(({ id }) => id)).size).toBe(given.length);
        expect(withIds(itemsOfLines(named.map(lineOfItem).join("\n")), named)).toEqual(named);
      }),
    );
  });
});
