/** Telemetry that fits no project, a part of the data port. */
import type { Micros } from "../../core/lib/time.ts";

/** Why telemetry fits no project. */
export const unplacedReasons = ["no project", "unknown project", "unknown repository"] as const;
export type UnplacedReason = (typeof unplacedReasons)[number];

/** How much telemetry of a source fits no project for one reason. There is one row for each pair. */
export interface UnplacedRow {
  /** The key of a source, see sources/. */
  source: string;
  reason: UnplacedReason;
  /** Records that would have become events. */
  count: number;
  /** The name of the token that sent the last. */
  token: string;
  last_at: Micros;
}

export interface TelemetryReads {
  /** Newest first. */
  unplaced(): Promise<UnplacedRow[]>;
}

export interface TelemetryWrites {
  /** Adds to the counts. */
  countUnplaced(rows: readonly UnplacedRow[]): Promise<void>;
}
