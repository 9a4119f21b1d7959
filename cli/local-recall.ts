/** A search of the memory in the SQLite file on this machine, without the API and the website in this process. */
import { adminCaller } from "../src/core/auth/caller.ts";
import { recall } from "../src/memory/recall/recall.ts";
import type { Recalled, RecallQuery } from "../src/memory/recall/schema.ts";
import { localAnswer } from "./local-reads.ts";

/** @returns null if the whole service has to answer */
export const localRecall = (dataDir: string | undefined, query: RecallQuery): Promise<Recalled | null> =>
  localAnswer(dataDir, (ctx) => recall(ctx, query, adminCaller));
