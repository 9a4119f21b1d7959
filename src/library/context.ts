/** What operations of the library work with. */
import type { MemoryContext } from "../memory/context.ts";
import type { LibraryData } from "./port.ts";

export interface LibraryContext extends MemoryContext {
  data: LibraryData;
}
