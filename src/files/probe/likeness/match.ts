/** In the child: whether a file is another one in another form, and which marked places are as they were. */
import type { BlockReader } from "../bytes.ts";
import { canParse, openImage } from "../images/image.ts";
import type { Target } from "../marks/schema.ts";
import type { FileMatch } from "./schema.ts";

export interface MatchedFile {
  file: BlockReader;
  mime: string;
  /** Of the file, for its extension. */
  name: string;
}

/** A place in the older file; null for all of it. */
export type Marked = Target | null;

/** Null if the files cannot be compared. Throws if one is damaged. */
export const matchFiles = (
  before: MatchedFile,
  after: MatchedFile,
  marks: readonly Marked[],
): Promise<FileMatch | null> =>
  canParse(before.mime) && canParse(after.mime)
    ? matchImages(before, after, marks)
    : matchTexts(before, after, marks);

async function matchImages(
  before: MatchedFile,
  after: MatchedFile,
  marks: readonly Marked[],
): Promise<FileMatch | null> {
  const { matchPictures } = await import("./same-picture.ts");
  const { placeInPicture } = await import("./marked-places.ts");
  const found = await matchPictures(openImage(before.file, before), openImage(after.file, after));
  return found && { isSame: found.isSame, places: marks.map((mark) => placeInPicture(found, mark)) };
}

async function matchTexts(
  before: MatchedFile,
  after: MatchedFile,
  marks: readonly Marked[],
): Promise<FileMatch | null> {
  const { readText } = await import("./same-text.ts");
  const { isEqual, placeInText } = await import("./quoted-places.ts");
  const [one, other] = [readText(before), readText(after)];
  if (!one || !other || one.words.length === 0) return null;
  const isSame = isEqual(one.words, other.words);
  return { isSame, places: marks.map((mark) => placeInText(one, other, mark)) };
}
