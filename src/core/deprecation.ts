/**
 * Deprecations: one table, from which the response headers, the notices in descriptions, the rows of the
 * versioning page and the errors after the sunset are derived.
 */
import { dayMicros, type Micros, secondMicros, toMicros } from "./lib/time.ts";
import { Problem } from "./problem.ts";

export interface Deprecation {
  kind: "operation" | "tool" | "field" | "file";
  /**
   * Id of an operation, name of a tool, or path of a file. For a field `Schema.field`; for an input field
   * `operationId.field` or `tool.field`.
   */
  name: string;
  /** When it took effect, RFC 3339. */
  deprecated: string;
  /** When it stops working, RFC 3339. */
  sunset: string;
  /** What to use instead, of the same kind; null if there is no replacement. */
  replacement: string | null;
}

/** None yet. Each entry also needs a line in the changelog, at least `noticeDays` before its sunset. */
export const deprecations: readonly Deprecation[] = [];

export const noticeDays = 90;
/** How long after its sunset something answers 410; after that, 404. */
export const goneDays = 30;

/** The deprecations, and the current time that decides their state. */
export interface DeprecationSchedule {
  deprecations: readonly Deprecation[];
  now(): Micros;
}

export type DeprecationState = "deprecated" | "gone" | "removed";
export type CurrentDeprecation = Deprecation & { state: DeprecationState };

/** Lists all deprecations with their current state. */
export const listDeprecations = ({ deprecations, now }: DeprecationSchedule): CurrentDeprecation[] =>
  deprecations.map((row) => ({ ...row, state: stateOf(row, now()) }));

function stateOf({ sunset }: Deprecation, now: Micros): DeprecationState {
  const end = toMicros(sunset);
  if (now < end) return "deprecated";
  return now < end + goneDays * dayMicros ? "gone" : "removed";
}

/** The deprecation of a name that is in effect now, if any. */
export function findDeprecation(
  { deprecations, now }: DeprecationSchedule,
  kind: Deprecation["kind"],
  name: string,
): CurrentDeprecation | null {
  const row = deprecations.find((entry) => entry.kind === kind && entry.name === name);
  return row ? { ...row, state: stateOf(row, now()) } : null;
}

/** Whether documents and lists still include it. */
export const isListed = (schedule: DeprecationSchedule, kind: Deprecation["kind"], name: string): boolean =>
  (findDeprecation(schedule, kind, name)?.state ?? "deprecated") === "deprecated";

/** Cache key that changes whenever a deprecation changes its state. */
export const deprecationEdition = (schedule: DeprecationSchedule): string =>
  listDeprecations(schedule)
    .map(({ state }) => state)
    .join();

/** Returns the notice that is appended to a description. */
export function deprecationNotice({ deprecated, sunset, replacement }: Deprecation): string {
  const instead = replacement === null ? "There is no replacement" : `Use \`${replacement}\` instead`;
  return `Deprecated since ${deprecated.slice(0, 10)}, works until ${sunset.slice(0, 10)}. ${instead}.`;
}

/**
 * Returns the response headers of a deprecation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.
 * @param policyUrl URL of the versioning policy
 * @param successor URL of the replacement
 */
export function deprecationHeaders(
  { deprecated, sunset }: Deprecation,
  policyUrl: string,
  successor: string | null,
): Record<string, string> {
  const policy = (relation: string) => `<${policyUrl}>; rel="${relation}"; type="text/html"`;
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

/** @throws Problem 410 after the sunset, and 404 from `goneDays` after it */
export function requireNotRetired(
  row: CurrentDeprecation | null,
  path: string,
  fields: Record<string, string> = {},
): void {
  if (row?.state === "gone")
    throw new Problem(
      410,
      `${path} was retired on ${row.sunset.slice(0, 10)}${replacementHint(row)}.`,
      fields,
    );
  if (row?.state === "removed") throw new Problem(404, `Path not found: ${path}`);
}

const replacementHint = ({ replacement }: Deprecation): string =>
  replacement === null ? "" : `; use ${replacement} instead`;

/** Returns a schema with its deprecated fields marked. @param owner name of the schema, operation or tool */
export function markDeprecatedFields<T extends Record<string, unknown>>(
  { deprecations }: DeprecationSchedule,
  owner: string,
  schema: T,
): T {
  const fields = schema.properties as Record<string, Record<string, unknown>> | undefined;
  const rows = deprecations.filter(({ kind, name }) => kind === "field" && name.startsWith(`${owner}.`));
  if (!fields || rows.length === 0) return schema;
  const marks = rows.flatMap((row) => {
    const name = row.name.slice(owner.length + 1);
    const field = fields[name];
    return field ? [[name, markDeprecated(row, field)] as const] : [];
  });
  return { ...schema, properties: { ...fields, ...Object.fromEntries(marks) } };
}

export const markDeprecated = (
  row: Deprecation,
  field: Record<string, unknown>,
): Record<string, unknown> => ({
  ...field,
  deprecated: true,
  description: [field.description, deprecationNotice(row)].filter(Boolean).join(" "),
});
