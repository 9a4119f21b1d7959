/** Pending assets are grouped by what changed against the version that was approved last. */
import { expect, test } from "bun:test";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import type { ChangeBox, ChangeLayer } from "../../../src/files/probe/likeness/schema.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import { compareUploads } from "../../../src/library/comparisons/compare.ts";
import { groupCompared, outlinesOf } from "../../../src/library/comparisons/group.ts";
import { listPendingGroups } from "../../../src/library/comparisons/pending.ts";
import { boxesPng } from "../../support/assets/media.ts";
import { dialects } from "../../support/harness.ts";
import { file, type Library, openLibrary } from "../../support/library.ts";

type Box = [number, number, number, number];
const page = (...boxes: Box[]) => boxesPng(200, 100, [[0, 0, 200, 10], ...boxes]);

async function openPushing(dialect: (typeof dialects)[number]) {
  const library = await openLibrary(dialect, "disk");
  const push = async (title: string, bytes: Uint8Array | string, fields: Record<string, string> = {}) => {
    library.clock.advance(1_000_000);
    const sent = file(`${title}.png`, bytes as BlobPart);
    return (await library.upload({ project: "atlas", title, ...fields }, sent)).body;
  };
  const approve = async (asset: Asset) => {
    await library.review(asset.id, { decision: "approved" });
    return asset;
  };
  return { library, push, approve };
}

const groupsOf = async ({ ctx }: Library, query = {}) => {
  const { groups } = await listPendingGroups(ctx, { project: "atlas", ...query }, adminCaller);
  return groups.map(({ kind, items }) => [kind, items.map(({ asset }) => asset.title)]);
};

test.each(dialects)(
  "on %s, each is compared with the approved version of its chain or title",
  async (dialect) => {
    const { library, push, approve } = await openPushing(dialect);
    await using _ = library;
    const replace = async (title: string, before: Uint8Array | string, after: Uint8Array | string) => {
      const { id } = await approve(await push(title, before));
      return push(title, after, { replaces: id });
    };
    const again = await new Bun.Image(page()).png({ compressionLevel: 9 }).bytes();
    await replace("equal pixels", page(), again);
    await replace("equal file", "a note", "a note");
    await replace("other text", "a note", "another note");
    await replace("berth 1", page(), page([50, 50, 20, 20]));
    await replace("berth 2", page([100, 80, 90, 5]), page([100, 80, 90, 5], [50, 50, 20, 20]));
    await replace("berth 3", page(), page([150, 60, 20, 20]));
    await replace("berth 4", page(), page([50, 50, 20, 20], [150, 20, 20, 20]));
    await push("never seen", page());
    await push("dark 1", boxesPng(200, 100, [[0, 0, 200, 90]]));
    await push("dark 2", boxesPng(300, 150, [[0, 0, 300, 132]]));
    await approve(await push("same title", page()));
    await push("same title", again, { run_id: "01J9ZC5W8Q4T3M2N1K0H7G6F5D" });
    expect(await groupsOf(library)).toEqual([
      ["likes", ["dark 1", "dark 2"]],
      ["new", ["never seen"]],
      ["waiting", expect.arrayContaining(["berth 1", "same title"])],
    ]);

    await compareUploads(library.ctx, () => true);
    expect(await groupsOf(library)).toEqual([
      ["same", ["equal file", "equal pixels", "same title"]],
      ["alike", ["berth 1", "berth 2"]],
      ["colors", ["berth 3", "berth 4"]],
      ["unknown", ["other text"]],
      ["likes", ["dark 1", "dark 2"]],
      ["new", ["never seen"]],
    ]);
    expect(await groupsOf(library, { run: "01J9ZC5W8Q4T3M2N1K0H7G6F5D" })).toEqual([
      ["same", ["same title"]],
    ]);
  },
);

test.each(dialects)(
  "on %s, a rejected version is not what the next one is compared with",
  async (dialect) => {
    const { library, push, approve } = await openPushing(dialect);
    await using _ = library;
    const first = await approve(await push("map", page()));
    const second = await push("map", page([50, 50, 20, 20]), { replaces: first.id });
    await library.review(second.id, { decision: "rejected", note: "Without the box." });
    await push("map", page(), { replaces: second.id });
    await compareUploads(library.ctx, () => true);
    expect(await groupsOf(library)).toEqual([["same", ["map"]]]);
  },
);

test.each(dialects)("on %s, what is approved later is compared with again", async (dialect) => {
  const { library, push, approve } = await openPushing(dialect);
  await using _ = library;
  const one = await push("map", page());
  await push("map", page());
  expect(await library.ctx.data.dueComparisons(10)).toEqual([]);
  expect(await groupsOf(library)).toEqual([["likes", ["map", "map"]]]);
  await approve(one);
  expect(await groupsOf(library)).toEqual([["waiting", ["map"]]]);
  await compareUploads(library.ctx, () => true);
  expect(await groupsOf(library)).toEqual([["same", ["map"]]]);
  await library.review(one.id, { decision: "rejected", note: "Too dark." });
  await compareUploads(library.ctx, () => true);
  expect(await groupsOf(library)).toEqual([["new", ["map"]]]);
});

test.each(dialects)("on %s, a text waits for a comparison only if there is one to make", async (dialect) => {
  const { library, push, approve } = await openPushing(dialect);
  await using _ = library;
  const first = await push("note", "a note");
  await push("note", "another note");
  expect(await library.ctx.data.dueComparisons(10)).toEqual([]);
  expect(await groupsOf(library)).toEqual([["new", ["note", "note"]]]);
  await approve(first);
  expect(await groupsOf(library)).toEqual([["waiting", ["note"]]]);
  await push("note", "a note");
  await compareUploads(library.ctx, () => true);
  expect(await groupsOf(library)).toEqual([
    ["same", ["note"]],
    ["unknown", ["note"]],
  ]);
});

test("a comparison that failed is tried again when the groups are read, three times in all", async () => {
  const { library, push, approve } = await openPushing("sqlite");
  await using _ = library;
  const { id } = await approve(await push("map", page()));
  await push("map", page([50, 50, 20, 20]), { replaces: id });
  const { probe } = library.ctx;
  let tries = 0;
  const compare = async () => {
    tries++;
    return null;
  };
  const read = async (compareImages: typeof probe.compare) => {
    await compareUploads({ ...library.ctx, probe: { ...probe, compare: compareImages } }, () => true);
    return groupsOf(library);
  };
  expect(await read(compare)).toEqual([["waiting", ["map"]]]);
  expect(await read(probe.compare)).toEqual([["different", ["map"]]]);

  await library.ctx.data.atomically((writes) => writes.renewComparisons("atlas", "map"));
  tries = 0;
  for (let visit = 0; visit < 5; visit++) await read(compare);
  expect(await groupsOf(library)).toEqual([["unknown", ["map"]]]);
  expect(tries).toBe(3);
});

const layer = (color: ChangeLayer["color"], pixels: number, ...boxes: ChangeBox[]): ChangeLayer => ({
  color,
  pixels,
  boxes,
});
const changed = (title: string, ...layers: ChangeLayer[]) => ({
  title,
  base: "base",
  isWaiting: false,
  signature: null,
  change: { state: "changed" as const, worst: 200, layers },
});
const titles = (assets: ReturnType<typeof changed>[]) =>
  groupCompared(assets).map(({ kind, items }) => [kind, items.map(({ title }) => title)]);

const header = layer([-9, 53, -83], 69_000, [0, 0, 10_000, 700]);

test("a fault on 1 % of the area keeps an image out of the group that changed as it did otherwise", () => {
  const smallText = layer([220, 220, 220], 1_500, [2_000, 6_000, 1_000, 1_000]);
  expect(titles([changed("a", header), changed("b", header), changed("c", header, smallText)])).toEqual([
    ["alike", ["a", "b"]],
    ["different", ["c"]],
  ]);
});

test("the same colors in different places are a group that says so, and other colors are not in it", () => {
  const button = (x: number, color: ChangeLayer["color"]) => layer(color, 9_000, [x, 6_000, 900, 900]);
  expect(
    titles([
      changed("a", button(1_000, [100, 0, 0])),
      changed("b", button(5_000, [104, 0, 0])),
      changed("c", button(1_000, [0, 90, 0])),
      changed("d", layer(null, 9_000, [1_000, 6_000, 900, 900])),
    ]),
  ).toEqual([
    ["colors", ["a", "b"]],
    ["different", ["c", "d"]],
  ]);
});

test("outlines that overlap are one", () => {
  const { change } = changed(
    "a",
    header,
    layer([1, 2, 3], 900, [9_000, 500, 500, 500], [0, 5_000, 100, 100]),
  );
  expect(outlinesOf(change)).toEqual([
    [0, 0, 10_000, 1_000],
    [0, 5_000, 100, 100],
  ]);
});
