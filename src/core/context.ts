/** What every operation works with. Each room adds its own (`src/<room>/context.ts`). */
import type { Audit } from "./audit/port.ts";
import type { Config } from "./config.ts";
import type { Deprecation } from "./deprecation.ts";
import type { Micros } from "./lib/time.ts";
import type { Metrics } from "./metrics.ts";
import type { CoreData } from "./port.ts";

/** Writes one log line. Never pass a token, a signed URL or the text of a request. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

export interface FormerSecret {
  secret: string;
  until: Micros;
}

export interface CoreContext {
  config: Config;
  data: CoreData;
  audit: Audit;
  metrics: Metrics;
  /** Signing secret of the deployment. Each use adds its own prefix. */
  secret: string;
  /** The one before it, if it was rotated with a grace: it signs nothing. */
  formerSecret?: FormerSecret | null;
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
export type DescriptionContext = Pick<CoreContext, "config" | "deprecations" | "now">;

/** How a request that takes long is ended early and reports that it is alive. */
export interface RequestControl {
  /** Aborted when the client disconnects or cancels. */
  signal?: AbortSignal;
  /** Absent if the client does not listen. @param progress of `total` */
  reportProgress?(progress: number, total: number, message: string): void;
}
