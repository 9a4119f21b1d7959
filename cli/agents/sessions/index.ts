/** The agents whose past sessions svc reads: one row, one file. */
import { claudeCode } from "./claude-code.ts";
import type { SessionReader } from "./session.ts";

export const sessionReaders: readonly SessionReader[] = [claudeCode];
