/** For commands that need the database itself. */
import { CommandError } from "../command.ts";
import { serverTarget } from "./target.ts";

/**
 * Throws if the user chose a server, and no database: a command that would create a database in the current
 * folder instead hides the mistake.
 */
export function requireLocal(args: { "data-dir"?: string | undefined }, command: string): void {
  const target = serverTarget(args);
  if (target)
    throw new CommandError(
      `${command} changes a database directly, and ${target.source} selects ${target.url}. ` +
        "Run it on that server, or name a folder on this machine with --data-dir.",
    );
}
