/** The audit log, as operations and surfaces use it. */
import type { AuditRow } from "../rows.ts";

export type Action = Pick<AuditRow, "who" | "via" | "what" | "project" | "target" | "address" | "request">;

export interface Audit {
  /** Counts a refused request. The same error object is counted once, even if reported twice. */
  recordRefusal(action: Action, error: unknown): void;
  /** Counts an action that has no transaction of its own, such as a sign-in. */
  recordAction(action: Action): void;
  /** Updates the last use of a token in the database; undefined is ignored. */
  recordTokenUse(hash: string | undefined): void;
  /** Updates the last use of a session in the database; undefined is ignored. */
  recordSessionUse(hash: string | undefined): void;
  /** Records that an agent uses a token: a hook or an MCP session of it came. Undefined is ignored. */
  recordAgent(hash: string | undefined): void;
  /** Writes the remaining entries. */
  close(): Promise<void>;
}
