/** Whose state a read marker or an inbox keeps. */
import type { Caller } from "./caller.ts";

/**
 * The name under which the state of a person is kept. A session of the token `ana` acts as `human:ana`: one
 * state serves the website and the command line. Null for an anonymous caller.
 */
export const readerOf = ({ name, actor }: Pick<Caller, "name" | "actor">): string | null =>
  (actor ?? name)?.replace(/^human:/, "") ?? null;
