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
  /** Of an image; by default as the file states. */
  orientation?: number | undefined;
}

/** A place in the older file; null for all of it. */
export type Marked = Target | null;

/** Compares a file with older ones: it is read once. */
export function openMatcher(after: MatchedFile): Matcher {
  const picture = lazily(async () => {
    const { comparedPicture } = await import("./images/compared-picture.ts");
    return comparedPicture(openImage(after.file, after));
  });
  const text = lazily(async () => {
    const { readText } = await import("./texts/same-text.ts");
    return readText(after);
  });

  async function matchImages(before: MatchedFile, marks: readonly Marked[]): Promise<FileMatch | null> {
    const { matchPictures } = await import("./images/same-picture.ts");
    const { placeInPicture } = await import("./images/marked-places.ts");
    const { comparedPicture } = await import("./images/compared-picture.ts");
    const older = comparedPicture(openImage(before.file, before));
    const found = await matchPictures(older, await picture(), marks.length > 0);
    return found && { isSame: found.isSame, places: marks.map((mark) => placeInPicture(found, mark)) };
  }

  async function matchTexts(before: MatchedFile, marks: readonly Marked[]): Promise<FileMatch | null> {
    const { readText } = await import("./texts/same-text.ts");
    const { isEqual, placeInText } = await import("./texts/quoted-places.ts");
    const [one, other] = [readText(before), await text()];
    if (!one || !other || one.words.length === 0) return null;
    const isSame = isEqual(one.words, other.words);
    return { isSame, places: marks.map((mark) => placeInText(one, other, mark)) };
  }

  return (before, marks) =>
    canParse(before.mime) && canParse(after.mime) ? matchImages(before, marks) : matchTexts(before, marks);
}

/** Null if the files cannot be compared. Throws if one is damaged. */
export type Matcher = (before: MatchedFile, marks: readonly Marked[]) => Promise<FileMatch | null>;

function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
