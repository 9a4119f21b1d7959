/** The dependencies of operations. */

import type { FeedNotifier } from "../feed/port.ts";
import type { Probe } from "../files/probe/port.ts";
import type { OwnedStore } from "../files/stores/store.ts";
import type { DocSection } from "../overview/search/port.ts";
import type { Audit } from "./audit/port.ts";
import type { Config } from "./config.ts";
import type { Data } from "./data.ts";
import type { Deprecation } from "./deprecation.ts";
import type { Micros } from "./lib/time.ts";
import type { Metrics } from "./metrics.ts";

/** Writes one log line. Never pass a token, a signed URL or the text of a request. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

export interface Context {
  config: Config;
  data: Data;
  feedNotifier: FeedNotifier;
  audit: Audit;
  /** Store of private files; null if there is none. */
  store: OwnedStore | null;
  /** Store of published files; null if there is none. */
  publicStore: OwnedStore | null;
  probe: Probe;
  metrics: Metrics;
  /** The CLI reference in Markdown, injected because only `cli/` knows the commands. */
  commandLine(): Promise<string>;
  /** The sections of the documentation, injected because its pages describe the operations. */
  docSections(ctx: Context): Promise<readonly DocSection[]>;
  /** Signing secret of the deployment. Each use adds its own prefix. */
  secret: string;
  /**
   * Finds the running server, and returns the configuration with its URLs. Throws if no server responds.
   * Absent in the server process itself.
   */
  locateServer?(): Promise<Config>;
  /** Deprecated operations, tools, fields and files. */
  deprecations: readonly Deprecation[];
  now(): Micros;
  log: Log;
}

/** The part of the context that generated documents depend on. */
export type DescriptionContext = Pick<Context, "config" | "deprecations" | "now">;

/** How a request that takes long is ended early and reports that it is alive. */
export interface RequestControl {
  /** Aborted when the client disconnects or cancels. */
  signal?: AbortSignal;
  /** Absent if the client does not listen. @param progress of `total` */
  reportProgress?(progress: number, total: number, message: string): void;
}
