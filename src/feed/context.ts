/** What operations on the feed work with. */
import type { Rule } from "../core/operation.ts";
import type { FilesContext } from "../files/context.ts";
import type { FeedData, FeedNotifier } from "./port.ts";

export interface FeedContext extends FilesContext {
  data: FeedData;
  feedNotifier: FeedNotifier;
}

export type FeedRule<I, O> = Rule<FeedContext, I, O>;
