/** What operations on stored files work with. */
import type { CoreContext } from "../core/context.ts";
import type { Probe } from "./probe/port.ts";
import type { OwnedStore } from "./stores/store.ts";

export interface FilesContext extends CoreContext {
  /** Store of private files; null if there is none. */
  store: OwnedStore | null;
  /** Store of published files; null if there is none. */
  publicStore: OwnedStore | null;
  probe: Probe;
}
