/** What operations of the library work with. */
import type { Rule } from "../core/operation.ts";
import type { MemoryContext } from "../memory/context.ts";
import type { LibraryData } from "./port.ts";

export interface LibraryContext extends MemoryContext {
  data: LibraryData;
}

export type LibraryRule<I, O> = Rule<LibraryContext, I, O>;
