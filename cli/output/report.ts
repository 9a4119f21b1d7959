/** What commands print about their work: changes and notes. */
import type { ArgsDef } from "citty";
import { printLine } from "../command.ts";
import { writeError } from "./terminal.ts";

export const outputFlags = {
  json: { type: "boolean", description: "Print JSON" },
  quiet: { type: "boolean", alias: "q", description: "Print no confirmations, hints, or progress" },
} as const satisfies ArgsDef;

export interface OutputArgs {
  json?: boolean | undefined;
  quiet?: boolean | undefined;
}

/** Prints a line on standard error, so that standard output has only results; not with `--quiet`. */
export function note({ quiet }: OutputArgs, line: string): void {
  if (!quiet) writeError(`${line}\n`);
}

/** Confirms a change: as JSON on standard output with `--json`, else as a note. */
export async function reportChange(args: OutputArgs, value: object, line: string): Promise<void> {
  if (args.json) await printLine(JSON.stringify(value));
  else note(args, line);
}
