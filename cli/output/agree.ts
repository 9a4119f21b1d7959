/** Asks before what cannot be undone. */
import type { ArgsDef } from "citty";
import { CommandError, UsageError } from "../command-errors.ts";
import { note, type OutputArgs } from "./report.ts";
import { confirm } from "./terminal.ts";

export const yesFlag = {
  yes: { type: "boolean", alias: "y", description: "Do not ask" },
} as const satisfies ArgsDef;

/** Shows what goes, and asks unless `--yes` is given. @throws if the answer is no, or without a terminal */
export async function requireAgreement(
  args: OutputArgs & { yes?: boolean | undefined },
  preview: readonly string[],
  question: string,
): Promise<void> {
  for (const line of preview) note(args, line);
  if (args.yes) return;
  if (!process.stdin.isTTY) throw new UsageError("Add --yes: this cannot be undone.");
  if (!(await confirm(question))) throw new CommandError("Nothing was changed.");
}
