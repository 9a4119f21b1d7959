/** The rows of annotations. */

import type { Micros } from "../../core/lib/time.ts";
import type { Target, Weight } from "../../files/probe/marks/schema.ts";
import type { Annotation, Origin, State } from "./schema.ts";

export type AnnotationRow = Omit<
  Annotation,
  "created_at" | "state_at" | "target" | "text" | "origin" | "state" | "weight"
> & {
  project: string;
  /** Id of the asset's first version. */
  chain: string;
  weight: Weight;
  origin: Origin;
  state: State;
  target: Target | null;
  created_at: Micros;
  state_at: Micros | null;
  /** Who may see it while it is a draft: see `readerOf`. */
  reader: string;
  /** When it was reopened, while briefs put it first. */
  urgent_at: Micros | null;
};

/** What a change of state, or of a draft, can set. */
export type AnnotationChange = Partial<
  Pick<
    AnnotationRow,
    | "body"
    | "weight"
    | "target"
    | "state"
    | "state_by"
    | "state_at"
    | "addressed_in"
    | "reopened"
    | "honoured_version"
    | "urgent_at"
  >
>;
