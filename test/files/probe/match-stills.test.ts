/** Documents and videos are compared by their pages and frames, and by those that were marked. */
import { expect, test } from "bun:test";
import type { Inspection, Kind } from "../../../src/files/probe/kind.ts";
import { matchStills } from "../../../src/files/probe/likeness/match-stills.ts";
import type { FileSource } from "../../../src/files/probe/port.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";

/** A file of stills, each a byte: a page, or a second of a video. */
const shown = (kind: Kind, stills: number[]) => ({
  source: bytesSource(Uint8Array.from(stills)),
  found: {
    kind,
    mime: "any/type",
    width: null,
    height: null,
    duration_ms: stills.length * 1000,
  } as Inspection,
});
const tools = {
  async capture(
    source: FileSource,
    _: Inspection,
    { page, t_ms }: { page: number | null; t_ms: number | null },
  ) {
    const still = await source.read(page === null ? Math.floor((t_ms ?? 0) / 1000) : page - 1, 1);
    return still.length === 0 ? null : bytesSource(still);
  },
  async compare(one: FileSource, other: FileSource, targets: readonly unknown[]) {
    const isSame = (await one.read(0, 1))[0] === (await other.read(0, 1))[0];
    return { isSame, places: targets.map(() => (isSame ? ("unchanged" as const) : ("changed" as const))) };
  },
};
const compare = (
  kind: Kind,
  before: number[],
  after: number[],
  targets: { page?: number; t_ms?: number }[] = [],
) => matchStills(shown(kind, before), shown(kind, after), targets, tools);

test("a document is the same if all of its pages are, and not if it has more", async () => {
  expect(await compare("pdf", [1, 2, 3], [1, 2, 3])).toEqual({ isSame: true, places: [] });
  expect(await compare("pdf", [1, 2, 3], [1, 2, 4])).toEqual({ isSame: false, places: [] });
  expect(await compare("pdf", [1, 2], [1, 2, 3])).toEqual({ isSame: false, places: [] });
  const long = Array.from({ length: 12 }, (_, at) => at);
  expect(await compare("pdf", long, long, [{ page: 12 }])).toEqual({ isSame: false, places: ["unchanged"] });
});

test("a marked frame counts as it was at its time, and a video of another length is another one", async () => {
  const marks = [{ t_ms: 1_000 }, { t_ms: 6_000 }];
  expect(await compare("video", [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 9, 8], marks)).toEqual({
    ...{ isSame: false, places: ["unchanged", "changed"] },
  });
  expect(await compare("video", [1, 2, 3, 4], [1, 2, 3, 4])).toEqual({ isSame: true, places: [] });
  expect((await compare("video", [1, 2, 3, 4], [1, 2, 3, 4, 5]))?.isSame).not.toBe(true);
});

test("without a program that shows them, nothing is known", async () => {
  const none = { ...tools, capture: async () => null };
  expect(await matchStills(shown("pdf", [1]), shown("pdf", [1]), [{ page: 1 }], none)).toBeNull();
});
