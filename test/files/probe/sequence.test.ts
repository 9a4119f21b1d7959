/** Image sequences: a zip of numbered images becomes a bundle with a page that plays them. */
import { describe, expect, test } from "bun:test";
import { sequenceOf } from "../../../src/files/probe/bundle/sequence.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import { png, zip } from "../../support/assets/media.ts";
import { look } from "../../support/assets/test-probe.ts";
import { Kept, probe } from "../../support/assets/unpacking.ts";
import { must } from "../../support/harness.ts";

const zipOf = (names: string[]) => zip(names.map((name) => ({ name, data: png(8, 6) })));

describe("a zip of numbered images", () => {
  test("is a bundle whose page has its frames in the order of their numbers", async () => {
    const bundle = zipOf(["walk-12fps/f10.png", "walk-12fps/f2.png", "walk-12fps/f1.png"]);
    expect(await look(bundle)).toMatchObject({ kind: "html", mime: "application/zip" });
    const sink = new Kept();
    const { index, files } = await probe.unbundle(bytesSource(bundle), sink);
    expect([index, files.length]).toEqual(["walk-12fps/index.html", 4]);
    const page = must(sink.files.get(index)).content.toString();
    expect(page).toContain('{"names":["f1.png","f2.png","f10.png"],"rate":12}');
    expect(page).toContain('src="f1.png"');
  });

  test("states its rate in a name: 24 frames a second if it does not, or if no screen shows so many", () => {
    const rateOf = (name: string) => must(sequenceOf([`${name}1.png`, `${name}2.png`])).rate;
    expect(["a/", "a-8fps/", "a_29.97FPS/", "a/b30fps-", "0fps/", "999fps/"].map(rateOf)).toEqual([
      ...[24, 8, 29.97, 30, 24, 24],
    ]);
  });

  test("is a plain file if the names differ, one image is alone, or an entry is no such image", async () => {
    for (const names of [
      ["a1.png"],
      ["a1.png", "b2.png"],
      ["a1.png", "a2.jpg"],
      ["a1.png", "a2.png", "notes.txt"],
      ["x/a1.png", "a2.png"],
      ["a1.png", "b/a2.png"],
      ["report.pdf", "data.csv"],
      ["notes.txt", "a1.png", "a2.png"],
      ["drawings/1.svg", "drawings/2.svg"],
    ])
      expect((await look(zipOf(names))).kind).toBe("file");
  });

  test("cannot break out of its page by the names of its images", async () => {
    const names = ["&'`$&<1.png", "&'`$&<2.png"].map((name) => name.replace("<", ""));
    const sink = new Kept();
    const { index } = await probe.unbundle(bytesSource(zipOf(names)), sink);
    const page = must(sink.files.get(index)).content.toString();
    expect(page).toContain("%26'%60%24%261.png");
    expect(page.match(/<script/g)).toHaveLength(2);
  });
});
