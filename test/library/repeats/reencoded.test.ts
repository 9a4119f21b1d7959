/** A rejected file that comes back in another form names what it repeats, and a corrected one does not. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import { fingerprintStored } from "../../../src/library/repeats/fingerprint.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { deployments, file, type Library, openLibrary } from "../../support/library.ts";
import { drawBoxes } from "../../support/likeness/drawing.ts";

describe.each(deployments)("on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let count = 0;
  beforeAll(async () => void (library = await openLibrary(dialect, place)));
  afterAll(() => library.close());

  const push = async (name: string, content: BlobPart, fields: Record<string, string> = {}) => {
    library.clock.advance(1_000_000);
    const { status, body } = await library.upload({ project: "atlas", ...fields }, file(name, content));
    expect(status).toBe(201);
    return body;
  };
  const rejected = async (name: string, content: BlobPart, note = "The logo is too dark.") => {
    const body = await push(name, content, { title: `Title ${++count}` });
    await library.review(body.id, { decision: "rejected", note });
    return body;
  };
  /** A page with a logo, whose color a reviewer may ask to change. */
  const page = (red: number) =>
    drawBoxes(640, 400, [
      [0, 0, 640, 48, [24, 32, 48]],
      [24, 90, 260, 14, [60, 60, 60]],
      [24, 120, 220, 14, [90, 90, 90]],
      [420, 200, 40, 40, [red, 60, 200]],
    ]);
  const jpeg = async (png: Uint8Array) =>
    new Uint8Array(await new Bun.Image(png).jpeg({ quality: 70 }).bytes());

  test("an image in another encoding or size does, however it is uploaded; a corrected one does not", async () => {
    const old = await rejected("page.png", page(40));
    const repeats = {
      id: old.id,
      version: 1,
      by: expect.stringContaining("token:"),
      note: "The logo is too dark.",
      text: expect.stringMatching(/^This file looks like \w+, version 1, rejected by token:.*: "The logo is/),
      likeness: "reencoded",
      places: [],
      reason: null,
    };
    const again = await jpeg(page(40));
    expect<unknown>((await push("page.jpg", again, { replaces: old.id })).repeats).toEqual(repeats);
    const fields = { title: old.title };
    const reserved = (await library.presign({ ...fields, filename: "page.jpg" })).body;
    expect((await library.put(reserved, again)).ok).toBe(true);
    expect<unknown>((await library.finalize(reserved)).body.repeats).toEqual(repeats);
    const small = await new Bun.Image(page(40)).resize(480, 300).webp({ quality: 80 }).blob();
    const resumable = await tusRequests(library).begin(small.size);
    await tusRequests(library).patch(resumable.url, 0, small);
    expect<unknown>((await library.finalize(resumable.reserved, fields)).body.repeats).toEqual(repeats);
    expect((await push("page.jpg", await jpeg(page(90)), fields)).repeats).toBeNull();
    expect((await push("page.jpg", again, { title: "Another title" })).repeats).toBeNull();
  });

  test("not if its reviewer asked for what changed", async () => {
    const old = await rejected("page.png", page(50), "Please send it as JPEG.");
    expect((await push("page.jpg", await jpeg(page(50)), { replaces: old.id })).repeats).toBeNull();
  });

  test.each([
    [
      "guide.md",
      "# Guide\n\nBerth 4 is *closed* until noon.\n\n- one\n- two\n",
      "Guide\r\n=====\r\n\r\nBerth 4 is\r\n_closed_ until noon.\r\n\r\n* one\r\n* two\r\n",
    ],
    ["rows.csv", "berth,tons\n4,120\n", '\ufeff"berth";"tons"\r\n"4";"120"\r\n'],
    [
      "berths.ts",
      "const open = berths.filter(isOpen).slice(4);\n",
      "const open = berths\n  .filter(isOpen)\n  .slice(4)\n",
    ],
    ["state.json", '{"berth":4,"open":true}', '{\n  "open": true,\n  "berth": 4\n}\n'],
    [
      "page.html",
      "<!doctype html><p class='a  b'>Berth 4<br>closed",
      '<!DOCTYPE html>\n<html>\n<!-- new -->\n<p class="a b">\n  Berth 4\n  <br/>\n  closed\n</p>\n</html>',
    ],
  ])("%s does in another formatting, and not with another number", async (name, content, formatted) => {
    const old = await rejected(name, content, "Wrong berth.");
    const again = await push(name, formatted, { title: old.title });
    expect(again.repeats).toMatchObject({ id: old.id, likeness: "reencoded" });
    expect((await push(name, formatted.replaceAll("4", "5"), { title: old.title })).repeats).toBeNull();
  });

  test.each([
    ["before", async () => {}],
    ["after", () => fingerprintStored(library.ctx, () => true)],
  ])("a text is found among many rejected ones of its title, %s a job has read them", async (_, read) => {
    const title = `Title ${++count}`;
    const words = (topic: string) => `# ${topic}\n\n${`The ${topic} is closed until noon. `.repeat(9)}\n`;
    const topics = ["harbor", "berth", "crane", "pilot", "tug"];
    const old: string[] = [];
    for (const topic of topics) {
      const { id } = await push("note.md", words(topic), { title });
      await library.review(id, { decision: "rejected", note: "No." });
      old.push(id);
    }
    await read();
    const again = await push("note.md", words("harbor").replaceAll("\n", "\r\n"), { title });
    expect(again.repeats).toMatchObject({ id: old[0], likeness: "reencoded" });
  });

  test("a correction says which marked places of an image are as they were, of all versions", async () => {
    const old = await push("page.png", page(80), { title: `Title ${++count}` });
    const mark = async (id: string, target: object | null) =>
      (await library.say<Annotation>(`/assets/${id}/annotations`, { json: { body: "No.", target } })).body.id;
    const header = await mark(old.id, { shape: "rect", x: 0, y: 0, w: 10_000, h: 1_000 });
    const logo = await mark(old.id, { shape: "point", x: 6_900, y: 5_500 });
    await library.review(old.id, { decision: "rejected", note: "Fix both." });
    const replaces = { replaces: old.id };
    const next = await push(
      "page.webp",
      await new Bun.Image(page(200)).webp({ quality: 75 }).blob(),
      replaces,
    );
    const places = [
      { annotation: header, state: "unchanged" },
      { annotation: logo, state: "changed" },
    ];
    expect(next.repeats).toMatchObject({
      ...{ id: old.id, version: 1, note: "Fix both.", likeness: "unchanged_places", places, reason: null },
    });
    expect(next.repeats?.text).toMatch(
      /^Unchanged at 1 of 2 marked places of \w+, version 1, rejected by token:\w+.*: "Fix both\." As it was: 1\. \[must\] top .*: No\. \(token:/,
    );
    const text = await mark(next.id, { shape: "rect", x: 300, y: 2_100, w: 4_500, h: 1_300 });
    await library.review(next.id, { decision: "rejected", note: "The text, too." });
    const last = await push("page.png", page(240), { replaces: next.id });
    const states = last.repeats?.places.map(({ annotation, state }) => [annotation, state]);
    expect(states).toEqual([
      [header, "unchanged"],
      [logo, "changed"],
      [text, "unchanged"],
    ]);
  });

  test.each([
    ["its quote", { quote: { exact: "Berth 4", prefix: "Open: " } }],
    ["its lines", { lines: { from: 3, to: 3 } }],
  ])("a place in a text is found by %s, in another formatting too", async (_, target) => {
    const text = `# Berths ${++count}\n\nOpen: Berth 4 and Berth 7.\n\nClosed: Berth 9 until noon.\n`;
    const old = await push("berths.md", text, { title: `Title ${++count}` });
    const json = { body: "Another one.", target };
    await library.say(`/assets/${old.id}/annotations`, { json });
    await library.review(old.id, { decision: "rejected", note: "Wrong." });
    const moved = text.replace("until noon", "until two").replaceAll("\n", "\r\n");
    const next = await push("berths.md", moved, { replaces: old.id });
    expect(next.repeats).toMatchObject({ likeness: "unchanged_places", places: [{ state: "unchanged" }] });
    await library.review(next.id, { decision: "rejected", note: "Wrong." });
    const fixed = await push("berths.md", moved.replace("Berth 4", "Berth 5"), { replaces: next.id });
    expect(fixed.repeats).toBeNull();
  });

  test("a cut file, and one of another kind, repeat nothing and are accepted", async () => {
    const old = await rejected("page.png", page(60));
    const fields = { title: old.title };
    expect((await push("page.png", page(60).slice(0, 600), fields)).repeats).toBeNull();
    expect((await push("page.txt", "words", fields)).repeats).toBeNull();
  });

  test("files that were stored before are found once a job has read them", async () => {
    const old = await rejected("page.png", page(70));
    await library.ctx.data.atomically((writes) =>
      writes.saveFingerprint(old.id, { picture: null, words: null }),
    );
    await fingerprintStored(library.ctx, () => true);
    expect((await push("page.jpg", await jpeg(page(70)), { title: old.title })).repeats?.id).toBe(old.id);
  });
});
