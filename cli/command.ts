/** What every command shares: common flags, and printing. */
import { userInfo } from "node:os";
import type { ArgsDef } from "citty";
import { splitList } from "../src/core/lib/strings/word-list.ts";
import {
  checkInput,
  type FieldSchema,
  fromText,
  type InputOf,
  type InputSchema,
  listOption,
  walker,
} from "../src/core/lib/validate.ts";
import { isActor } from "../src/core/wire.ts";
import { UsageError } from "./command-errors.ts";
import { currentRunId } from "./login/agent-session.ts";
import { writeOutput } from "./output/terminal.ts";

/** @param valueHint what help shows in place of the value */
export const textFlag = (description: string, valueHint: string) =>
  ({ type: "string", description, valueHint }) as const;

export const dataDirFlag = {
  "data-dir": { type: "string", description: "Data folder (SVC_DATA_DIR)", valueHint: "folder" },
} as const satisfies ArgsDef;

export const byFlag = {
  by: { type: "string", description: "Actor to record, <kind>:<name>", valueHint: "actor" },
} as const satisfies ArgsDef;

/** The actor of a command: `--by`, or the user that runs it. */
export function actorFrom(by: string | undefined): string {
  const actor = by ?? `human:${userName()}`;
  if (!isActor(actor))
    throw new UsageError("--by must be <kind>:<name>, where kind is human, bot, runner or agent.");
  return actor;
}

/** Bun reads the user name from the environment, which lacks it in a systemd unit or a container. */
function userName(): string {
  const known = environmentUser();
  const name = known === "unknown" ? Bun.spawnSync(["id", "-un"]).stdout.toString() : known;
  return name.trim().replace(/\s/g, "-") || "unknown";
}

/** Bun throws for a user ID without an account if there is no HOME either. */
function environmentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** The flag of a field: `--run-id` for `run_id`. */
export const flagOf = <F extends string>(field: F) => field.replaceAll("_", "-") as FlagOf<F>;
export type FlagOf<F extends string> = F extends `${infer Start}_${infer End}`
  ? `${Start}-${FlagOf<End>}`
  : F;

/**
 * Checks flags and arguments against a schema: `max_chars` is `--max-chars`. Fields that are not in `args`
 * are absent.
 *
 * @throws UsageError for the first invalid one
 */
export function checkFlags<S extends InputSchema>(schema: S, args: Record<string, unknown>): InputOf<S> {
  const fields = Object.entries(schema.properties).flatMap(([name, field]): [string, unknown][] => {
    const value = args[flagOf(name)];
    return value === undefined ? [] : [[name, typeof value === "string" ? fromFlag(field, value) : value]];
  });
  return checkFields(schema, new Map(fields));
}

/** Checks fields against a schema. @throws UsageError for the first invalid one */
export function checkFields<S extends InputSchema>(
  schema: S,
  fields: ReadonlyMap<string, unknown>,
): InputOf<S> {
  try {
    return checkInput(schema, fields, walker) as InputOf<S>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Converts the text of a flag to the type of its field; text of another form stays, and fails the check. */
function fromFlag(field: FieldSchema, text: string): unknown {
  if (listOption(field)) return fromText(field, text);
  const type = field.type ?? field.anyOf?.[0]?.type;
  if (type === "array") return splitList(text);
  const isNumber =
    (type === "integer" && /^\d+$/.test(text)) || (type === "number" && /^\d+(\.\d+)?$/.test(text));
  return isNumber ? Number(text) : text;
}

/** The run of a command: `--run-id`, else the one that it runs in. */
export const runIdField = (args: { "run-id"?: string | undefined }): { "run-id"?: string } => {
  const id = args["run-id"] ?? currentRunId();
  return id ? { "run-id": id } : {};
};

/** The values of a flag that is given several times, of which the parser keeps the last. */
export const repeatedFlag = (rawArgs: readonly string[], name: string): string[] =>
  rawArgs.flatMap((word, at) => {
    if (word === `--${name}`) return rawArgs.slice(at + 1, at + 2);
    return word.startsWith(`--${name}=`) ? [word.slice(name.length + 3)] : [];
  });

export { splitList };

/** Prints each value as a line of JSON. */
export async function printJsonLines(values: Iterable<unknown>): Promise<void> {
  for (const value of values) await printLine(JSON.stringify(value));
}

/**
 * Prints a line and waits until it is written (backpressure), so that no output is lost when the process
 * exits after it.
 */
export function printLine(line: string): Promise<void> {
  const written = Promise.withResolvers<void>();
  writeOutput(`${line}\n`, (error) => (error ? written.reject(error) : written.resolve()));
  return written.promise;
}
