/** The part of the data port that holds checklists. */

import type { Micros } from "../../core/lib/time.ts";
import type { AssetKind } from "../assets/schema.ts";
import type { ChecklistItem } from "./schema.ts";

/** A version of a checklist; without items it was removed. */
export interface ChecklistRow {
  project: string;
  kind: AssetKind;
  version: number;
  items: ChecklistItem[];
  changed_by: string;
  changed_at: Micros;
}

export interface ChecklistReads {
  /** A version of the checklist of a project and kind, the newest by default; null if there is none. */
  checklist(project: string, kind: AssetKind, version?: number): Promise<ChecklistRow | null>;
}

export interface ChecklistWrites {
  addChecklist(checklist: ChecklistRow): Promise<void>;
}
