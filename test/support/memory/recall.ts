/** The hits of a recall, as the tests compare them. */
import { adminCaller, type Caller } from "../../../src/core/auth/caller.ts";
import { recall } from "../../../src/memory/recall/recall.ts";
import type { RecallQuery } from "../../../src/memory/recall/schema.ts";
import type { TestApp } from "../harness.ts";

export const recallHits = (
  app: TestApp,
  query: string,
  options: Partial<RecallQuery> = {},
  caller: Pick<Caller, "projects"> = adminCaller,
) => recall(app.ctx, { query, ...options }, caller);
export const texts = async (...args: Parameters<typeof recallHits>) =>
  (await recallHits(...args)).hits.map(({ text }) => text);
