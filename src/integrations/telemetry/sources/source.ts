/** What a source makes of its records. */
import type { EventInput } from "../../../feed/schema.ts";
import type { TelemetryRecord } from "../records.ts";
import type { PricedApart } from "./usage.ts";

/** Which project and task a record is about, as its sender says it. */
export interface Placement {
  project?: string;
  /** `owner/name`, or a name alone. */
  repo?: string;
  /** The host of the repository, from its URL. */
  host?: string;
  branch?: string;
  issue?: number;
  task?: string;
  pr?: number;
}

/** An event without its project, and without a cost unless the sender named it. */
export interface Mapped {
  event: Omit<EventInput, "project">;
  place: Placement;
  /** The key of the source. */
  source: string;
  /** The provider of the model, as the sender names it; for its price. */
  provider?: string;
  /** Those of its tokens that have a price of their own. */
  apart?: PricedApart;
}

/** What a mapping makes of a record, before the record is placed. */
export type Unplaced = Omit<Mapped, "place" | "source">;

/** For the documentation: what a source sends, and what becomes of it. */
export interface SourceFacts {
  label: string;
  sends: string;
  tokens: string;
  cost: "reported" | "computed" | "reported or computed";
  runs: string;
}

export interface Source extends SourceFacts {
  /**
   * Whether records of this instrumentation scope and service are of this source; later sources are not asked
   * then.
   */
  owns(scope: string, service: string): boolean;
  /** Null for a record that is no event of the feed. */
  map(record: TelemetryRecord): Unplaced | null;
}
