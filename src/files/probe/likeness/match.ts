/** In the child: whether a file is another one in another form. */
import type { BlockReader } from "../bytes.ts";
import { canParse, openImage } from "../images/image.ts";
import type { FileMatch } from "./schema.ts";

export interface MatchedFile {
  file: BlockReader;
  mime: string;
  /** Of the file, for its extension. */
  name: string;
}

/** Null if one of them cannot be compared. Throws if one is damaged. */
export async function matchFiles(before: MatchedFile, after: MatchedFile): Promise<FileMatch | null> {
  if (canParse(before.mime) && canParse(after.mime)) {
    const { matchPictures } = await import("./same-picture.ts");
    const found = await matchPictures(openImage(before.file, before), openImage(after.file, after));
    return found && { isSame: found.isSame };
  }
  const { textBytesMax, wordsOf } = await import("./same-text.ts");
  if (Math.max(before.file.size, after.file.size) > textBytesMax) return null;
  const [one, other] = [before, after].map((each) => wordsOf(each.file.read(0, each.file.size), each));
  if (!one || !other || one.length === 0) return null;
  return { isSame: one.length === other.length && one.every((word, at) => word === other[at]) };
}
