/** What operations across the rooms work with. */
import type { LibraryContext } from "../library/context.ts";
import type { OverviewData } from "./port.ts";
import type { DocSection } from "./rows.ts";

export interface OverviewContext extends LibraryContext {
  data: OverviewData;
  /** The CLI reference in Markdown, injected because only `cli/` knows the commands. */
  commandLine(): Promise<string>;
  /** The sections of the documentation, injected because its pages describe the operations. */
  docSections(ctx: OverviewContext): Promise<readonly DocSection[]>;
}
