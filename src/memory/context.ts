/** What operations of the memory work with. */
import type { Rule } from "../core/operation.ts";
import type { FeedContext } from "../feed/context.ts";
import type { MemoryData } from "./port.ts";

export interface MemoryContext extends FeedContext {
  data: MemoryData;
}

export type MemoryRule<I, O> = Rule<MemoryContext, I, O>;
