/** The rows of events and projects that cross the data port: the API's own shapes, with times in microseconds. */

import type { RepositoryPlace } from "../core/forges/schema.ts";
import type { Micros } from "../core/lib/time.ts";
import type { Project } from "./projects/schema.ts";
import type { ImportedEvent } from "./schema.ts";
import type { UsageSums } from "./usage/schema.ts";

/** An event rendered for the feed: its position, and its JSON text as the API returns it. */
export interface RenderedEvent {
  id: number;
  ts: Micros;
  wire: string;
}

/** An event to append. */
export type Appendable = Omit<ImportedEvent, "ts" | "parent_run_id" | "branch"> & {
  /** The sender's raw data, such as a webhook payload. Stored, never returned. */
  payload?: unknown;
  /** The scope in which `dedupe_key` is unique; absent: the whole feed. */
  key_scope?: string;
  /** The unsigned id of a webhook delivery: a second deduplication key beside `dedupe_key`. */
  delivery_id?: string;
  /** A time in the past; only imports set it. */
  ts?: Micros;
};

export type ProjectRow = Omit<Project, "lastActivity"> & {
  lastActivity: Micros | null;
  check_cmd: string | null;
  branch_pattern: string | null;
};

/** The repository linked to a project. */
export interface LinkedRepository extends RepositoryPlace {
  slug: string;
  /** The forge's id of the repository; null until a webhook reports it. */
  repo_id: number | null;
}

/** Totals of one project, UTC day, lane, and model; "" for events without a lane or model. */
export interface UsageRow extends UsageSums {
  project: string;
  day: string;
  lane: string;
  model: string;
}
