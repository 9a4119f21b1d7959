/** What operations across the rooms work with. */
import type { LibraryContext } from "../library/context.ts";
import type { OverviewData } from "./port.ts";
import type { DocSections } from "./rows.ts";

/** Slots of the documentation: by name, a function that makes the content. */
export type DocSlots = Record<string, () => string | Promise<string>>;

export interface OverviewContext extends LibraryContext {
  data: OverviewData;
  /** Slots of the documentation that only `cli/` can fill: its commands, and the files of deployments. */
  docSlots(): Promise<DocSlots>;
  /** The sections of the documentation, injected because its pages describe the operations. */
  docSections(ctx: OverviewContext): Promise<DocSections>;
}
