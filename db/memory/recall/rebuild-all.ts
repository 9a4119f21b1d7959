/** Rebuilds the term indexes of recall and their vocabulary, all at once. */
import { memoryKinds } from "../../../src/memory/schema.ts";
import { clearCaches, type Session } from "../../engine/session.ts";
import { readFeedHead } from "../../feed/head.ts";
import { markCurrent } from "./outdated-index.ts";
import { readDocuments } from "./stored-documents.ts";
import { clearIndexes, indexRows } from "./term-index.ts";

const pageRows = 500;

/** Rebuilds all indexes; to be called in a transaction that holds the write lock. */
export async function rebuildRecallIndex(session: Session): Promise<void> {
  await clearIndexes(session);
  clearCaches(session);
  for (const kind of memoryKinds) {
    let from = 0;
    const to = kind === "event" ? (await readFeedHead(session)).derived + 1 : Number.MAX_SAFE_INTEGER;
    for (let isLast = false; !isLast; ) {
      const range = { from, to, limit: pageRows };
      const documents = await readDocuments[kind](session, range);
      await indexRows(session, kind, documents);
      isLast = documents.length < pageRows;
      from = (documents.at(-1)?.id ?? 0) + 1;
    }
  }
  await markCurrent(session);
}
