/** What tables and fonts contain: read in a child of the probe, from the beginning of the file. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { mediaObjects } from "../../../db/demo/media.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { tableLimits } from "../../../src/files/probe/table/schema.ts";
import { look, probe, root } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";

const day = { id: "1", key: "silt/1/day.parquet", project: "silt", version: 1 };
const parquet = await must(mediaObjects([day]).get(day.key)).bytes();
const font = await Bun.file(
  join(root, "node_modules/pdfjs-dist/standard_fonts/LiberationSans-Bold.ttf"),
).bytes();

const tableIn = async (bytes: Uint8Array) => probe.table(bytesSource(bytes), (await look(bytes)).mime);
const fontIn = async (bytes: Uint8Array) => probe.font(bytesSource(bytes), (await look(bytes)).mime);

/** A copy whose bytes from `start` on are others. */
const changed = (bytes: Uint8Array, start: number, ...others: number[]) => {
  const copy = bytes.slice();
  copy.set(others, start);
  return copy;
};

describe("a Parquet file", () => {
  test("has names of columns, the first rows, and the number of all", async () => {
    const { rows, ...found } = must(await tableIn(parquet));
    expect(found).toEqual({
      header: ["gauge", "measured_at", "level_m_nap"],
      count: 1584,
      columns: 3,
      unread: [],
    });
    expect(rows.length).toBe(tableLimits.rows);
    expect(rows.slice(0, 2)).toEqual([
      ["Veere", "2026-03-05 00:00:00", "0.4"],
      ["Veere", "2026-03-05 00:10:00", "0.537"],
    ]);
  });

  test("that is damaged has none, or names the columns that cannot be read", async () => {
    const { length } = parquet;
    expect(await tableIn(changed(parquet, length - 8, 255, 255, 255, 127))).toBeNull();
    expect(await tableIn(changed(parquet, length - 200, ...new Array(100).fill(0xfc)))).toBeNull();
    const { unread, rows } = must(await tableIn(changed(parquet, 4, ...new Array(40).fill(0xff))));
    expect(unread).toEqual(["gauge"]);
    expect(must(rows[0]).slice(1)).toEqual(["2026-03-05 00:00:00", "0.4"]);
  });
});

describe("a font", () => {
  test("has a name, its characters, and the outlines of two letters", async () => {
    const { shown, sample, ...found } = must(await fontIn(font));
    expect(found).toMatchObject({ name: "Liberation Sans Bold", weight: 700, axes: [] });
    expect(found.glyphs).toBeGreaterThan(300);
    expect(shown).toStartWith('!"#$%&');
    expect(must(sample).path).toMatch(/^M[\d MLQCZ.-]+Z$/);
    const [left, top, right, bottom] = must(sample).box as [number, number, number, number];
    expect(right - left).toBeGreaterThan(1_000);
    expect(top).toBeLessThan(-600);
    expect(bottom).toBeGreaterThan(100);
  });

  test("that is damaged has nothing", async () => {
    expect(await fontIn(changed(font, 12, ...new Array(200).fill(255)))).toBeNull();
    expect(await fontIn(font.slice(0, 100))).toBeNull();
  });
});
