/** What an operation is given. */
import type { Audit } from "./audit/audit.ts";
import type { Config } from "./config.ts";
import type { Data } from "./data.ts";
import type { Deprecation } from "./deprecation.ts";
import type { Follower } from "./feed/follower.ts";
import type { Micros } from "./lib/time.ts";
import type { Metrics } from "./metrics.ts";
import type { Probe } from "./probe/probe.ts";
import type { OwnedStore } from "./stores/store.ts";

/** One line a call; never a token, a signed address or the text of a request. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

export interface Context {
  config: Config;
  data: Data;
  follower: Follower;
  audit: Audit;
  /** Private bytes; null in a deployment that keeps none. */
  store: OwnedStore | null;
  /** Published bytes; null in a deployment that publishes none. */
  publicStore: OwnedStore | null;
  probe: Probe;
  metrics: Metrics;
  /** The reference of the command line, in Markdown: the program alone knows its commands. */
  commandLine(): Promise<string>;
  /** Key of whatever this deployment signs; each use has its own prefix. */
  secret: string;
  /**
   * The configuration with the URLs at which the server answers now; throws where none does. Absent in the
   * process that is the server.
   */
  locateServer?(): Promise<Config>;
  /** What is on its way out. */
  deprecations: readonly Deprecation[];
  now(): Micros;
  log: Log;
}

/** What describes the service is made from. */
export type DescriptionContext = Pick<Context, "config" | "deprecations" | "now">;
