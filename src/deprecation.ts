/**
 * What is on its way out: one table, from which follow the header fields, the marks in descriptions, the rows
 * of the policy page, and what is answered after the end.
 */
import { paths } from "./info.ts";
import { dayMicros, type Micros, secondMicros, toMicros } from "./lib/time.ts";
import { Problem } from "./problem.ts";

export interface Deprecation {
  kind: "operation" | "tool" | "field" | "file";
  /**
   * Id of an operation, name of a tool, path of a file; of a field `Shape.field`, of an input
   * `operationId.field` or `tool.field`.
   */
  name: string;
  /** When it took effect, RFC 3339. */
  deprecated: string;
  /** When it stops answering. */
  sunset: string;
  /** What to use instead, of the same kind; null: nothing takes its place. */
  replacement: string | null;
}

/** Nothing is. A row here goes with a line in the changelog, at least `noticeDays` before its sunset. */
export const deprecations: readonly Deprecation[] = [];

export const noticeDays = 90;
/** So long a retired thing is known to have been there (410); after that it is nothing (404). */
export const goneDays = 30;

/** A table, and the time at which it is read. */
export interface Calendar {
  deprecations: readonly Deprecation[];
  now(): Micros;
}

export type Standing = "deprecated" | "gone" | "removed";
export type Retiring = Deprecation & { standing: Standing };

/** Every row with where it stands now: what the policy page lists. */
export const policyRows = ({ deprecations, now }: Calendar): Retiring[] =>
  deprecations.map((row) => ({ ...row, standing: standingOf(row, now()) }));

function standingOf({ sunset }: Deprecation, now: Micros): Standing {
  const end = toMicros(sunset);
  if (now < end) return "deprecated";
  return now < end + goneDays * dayMicros ? "gone" : "removed";
}

export function retiring(
  { deprecations, now }: Calendar,
  kind: Deprecation["kind"],
  name: string,
): Retiring | null {
  const row = deprecations.find((one) => one.kind === kind && one.name === name);
  return row ? { ...row, standing: standingOf(row, now()) } : null;
}

/** Whether documents and lists still show it. */
export const isListed = (at: Calendar, kind: Deprecation["kind"], name: string): boolean =>
  (retiring(at, kind, name)?.standing ?? "deprecated") === "deprecated";

/** Differs whenever something has reached its end since: what was made before is to be made anew. */
export const editionOf = (at: Calendar): string =>
  policyRows(at)
    .map(({ standing }) => standing)
    .join();

/** For a description, behind what the thing is. */
export function noticeOf({ deprecated, sunset, replacement }: Deprecation): string {
  const instead = replacement === null ? "nothing takes its place" : `use \`${replacement}\` instead`;
  return `Deprecated since ${deprecated.slice(0, 10)}, answers until ${sunset.slice(0, 10)}: ${instead}.`;
}

/**
 * RFC 9745, RFC 8594 and their links.
 * @param successor address of what takes its place
 */
export function deprecationFields(
  { deprecated, sunset }: Deprecation,
  successor: string | null,
): Record<string, string> {
  const policy = (relation: string) => `<${paths.versioning}>; rel="${relation}"; type="text/html"`;
  return {
    deprecation: `@${Math.floor(toMicros(deprecated) / secondMicros)}`,
    sunset: new Date(toMicros(sunset) / 1000).toUTCString(),
    link: [
      policy("deprecation"),
      policy("sunset"),
      ...(successor === null ? [] : [`<${successor}>; rel="successor-version"`]),
    ].join(", "),
  };
}

/** Throws 410, later 404, where the end is past. */
export function requireServed(row: Retiring | null, path: string, fields: Record<string, string> = {}): void {
  if (row?.standing === "gone")
    throw new Problem(410, `${path} was retired on ${row.sunset.slice(0, 10)}${insteadOf(row)}.`, fields);
  if (row?.standing === "removed") throw new Problem(404, `Path not found: ${path}`);
}

export const insteadOf = ({ replacement }: Deprecation): string =>
  replacement === null ? "" : `; use ${replacement} instead`;

/** The schema of something with a name, its deprecated fields marked. */
export function marked<T extends Record<string, unknown>>(
  { deprecations }: Calendar,
  owner: string,
  schema: T,
): T {
  const fields = schema.properties as Record<string, Record<string, unknown>> | undefined;
  const rows = deprecations.filter(({ kind, name }) => kind === "field" && name.startsWith(`${owner}.`));
  if (!fields || rows.length === 0) return schema;
  const marks = rows.flatMap((row) => {
    const name = row.name.slice(owner.length + 1);
    const field = fields[name];
    return field ? [[name, markedField(row, field)] as const] : [];
  });
  return { ...schema, properties: { ...fields, ...Object.fromEntries(marks) } };
}

export const markedField = (row: Deprecation, field: Record<string, unknown>): Record<string, unknown> => ({
  ...field,
  deprecated: true,
  description: [field.description, noticeOf(row)].filter(Boolean).join(" "),
});
