/** Building blocks of the API's schemas. Each schema is a TypeBox constant; its type has the same name. */
import { FormatRegistry, Kind, type Static, type TSchema, Type, TypeRegistry } from "@sinclair/typebox";
import { perObject } from "./lib/cache.ts";
import { parseTime } from "./lib/time.ts";
import { taskKeyMax, taskKeyPattern } from "./task-key.ts";

/**
 * Prose may contain line breaks and tabs; other control characters, including NUL, are not allowed. The
 * patterns are part of the OpenAPI document, so they use only syntax that all regular expression engines
 * share.
 */
const linePattern = "^[^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*$";
const prosePattern = "^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$";
/** Whether a pattern only excludes control characters. */
export const isPlainPattern = (pattern: string): boolean =>
  pattern === linePattern || pattern === prosePattern;

type TextSchema = { minLength?: number; maxLength: number; pattern: string };

const line = new RegExp(linePattern);
const patternOf = perObject(({ pattern }: TextSchema) => new RegExp(pattern));

const isValidText = (schema: TextSchema, value: unknown, pattern = patternOf(schema)): boolean =>
  typeof value === "string" &&
  value.length >= (schema.minLength ?? 0) &&
  value.length <= schema.maxLength &&
  // A UTF-16 code unit is at most three bytes in UTF-8, so most text needs no byte count.
  (value.length * 3 <= schema.maxLength || Buffer.byteLength(value) <= schema.maxLength) &&
  pattern.test(value) &&
  value.isWellFormed();

TypeRegistry.Set<TextSchema>("Line", (schema, value) => isValidText(schema, value));
TypeRegistry.Set<TextSchema>("Prose", (schema, value) => isValidText(schema, value));
TypeRegistry.Set<TextSchema>("Name", (schema, value) => isValidText(schema, value, line));
TypeRegistry.Set<{ enum: string[] }>("Choice", (schema, value) => schema.enum.includes(value as string));
FormatRegistry.Set("date-time", (value) => parseTime(value) !== null);
FormatRegistry.Set(
  "date",
  (value) => /^\d{4}-\d\d-\d\d$/.test(value) && parseTime(`${value}T00:00:00Z`) !== null,
);
FormatRegistry.Set("uri", (value) => URL.canParse(value));
FormatRegistry.Set(
  "https-uri",
  (value) => value.startsWith("https://") && line.test(value) && value.isWellFormed() && URL.canParse(value),
);

/** One line of text, at most `bytesMax` bytes of UTF-8. */
export const Line = (bytesMax: number, options: object = {}) =>
  Type.Unsafe<string>({
    pattern: linePattern,
    ...options,
    [Kind]: "Line",
    type: "string",
    minLength: 1,
    maxLength: bytesMax,
  });

/** An ASCII address as the HTML standard allows it, without anything that a mail header gives a meaning. */
const addressPattern =
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?" +
  "(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$";

export const EmailAddress = (description: string, example: string) =>
  Line(254, { pattern: addressPattern, description, examples: [example] });

/** Text that may hold line breaks, at most `bytesMax` bytes of UTF-8. */
export const Prose = (bytesMax: number, options: object = {}) =>
  Type.Unsafe<string>({
    pattern: prosePattern,
    ...options,
    [Kind]: "Prose",
    type: "string",
    minLength: 1,
    maxLength: bytesMax,
  });

/**
 * The name of a resource that may not exist. The pattern is documented but not checked: an impossible name is
 * not found, like any other unknown name.
 */
export const Name = (bytesMax: number, pattern: string, options: object = {}) =>
  Type.Unsafe<string>({
    ...options,
    [Kind]: "Name",
    type: "string",
    minLength: 1,
    maxLength: bytesMax,
    pattern,
  });

/** One of a fixed list of values. */
export const Choice = <const T extends readonly string[]>(words: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ ...options, [Kind]: "Choice", type: "string", enum: [...words] });

/** One of a list of values that can grow: clients have to accept unknown ones. */
export const OpenChoice = <const T extends readonly string[]>(words: T, options: object = {}) =>
  Type.Unsafe<T[number]>(Type.String({ ...options, "x-extensible-enum": [...words] }));

/** A size or a counter. `int64`, as code generators assume 32 bits otherwise. */
export const Count = (description: string, example?: number, options: object = {}) =>
  Type.Integer({
    format: "int64",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    ...options,
    ...(example !== undefined && { examples: [example] }),
  });

/** A cost in USD. */
export const Cost = (description: string, example: number, options: object = {}) =>
  Type.Number({ format: "double", minimum: 0, description, examples: [example], ...options });

/** ID of a row. */
export const Id = (options: object = {}) =>
  Type.Integer({ format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, ...options });

/** One value, or a list of several: separated by commas in a URL. */
export const OneOrMore = <T extends TSchema>(schema: T) =>
  Type.Union([schema, Type.Array(schema)], {
    ...(schema.description && { description: schema.description }),
  });
/** The values of a field that is one value or a list; none if it is absent. */
export const valuesOf = <T extends string | number>(given: T | readonly T[] | undefined): readonly T[] =>
  given === undefined ? [] : typeof given === "object" ? given : [given];

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const NextCursor = Nullable(
  Type.String({ description: "Pass as `cursor` for the next page; null on the last page." }),
);

/** A timestamp (RFC 3339). Input: any offset, up to nanoseconds. Output: `Z` and microseconds. */
export const DateTime = (options: object = {}) => Type.String({ ...options, format: "date-time" });

export const Uri = (options: object = {}) => Type.String({ ...options, format: "uri" });

/** An https URL to link to. Accepts what browsers accept, which is more than RFC 3986 allows; see `asUri`. */
export const HttpsUrl = (options: object = {}) =>
  Type.String({ ...options, format: "https-uri", pattern: "^https://", maxLength: 2048 });

const isUri = /^https?:\/\/[\w.~:[\]-]+(?:[/?#](?:[\w.~!$&'()*+,;=:@/?#-]|%[0-9A-Fa-f]{2})*)?$/;

/** Percent-encodes the characters that browsers accept in a URL and RFC 3986 does not allow. */
export function asUri(url: string): string {
  if (isUri.test(url)) return url;
  const { href, pathname, search, hash } = new URL(url);
  const rest = pathname + search + hash;
  return (
    href.slice(0, -rest.length) +
    rest.replace(/%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?#%-]/g, encodeURIComponent)
  );
}

export const slugPattern = "[a-z0-9][a-z0-9-]{0,62}";
/** The slug of a project. */
export const Slug = Type.String({
  pattern: `^${slugPattern}$`,
  description: "Project slug.",
  examples: ["atlas"],
});
export type Slug = Static<typeof Slug>;

/** The slug of a project in a request. Text that is not a slug is an unknown project. */
export const ProjectName = Name(255, `^${slugPattern}$`, {
  description: Slug.description,
  examples: Slug.examples,
});

/** The id of a person or a team: JSON and searches of stored texts take it as it is. */
const nameOfWorker = (example: string) =>
  Type.String({ pattern: "^[a-z0-9][a-z0-9._-]{0,62}$", examples: [example] });

export const PersonId = nameOfWorker("dana");
export const TeamName = nameOfWorker("platform");

const actorKinds = ["human", "bot", "runner", "agent"] as const;

/** Also checks the length of the name in bytes, as the pattern counts characters. */
const isActorText = (schema: TextSchema, value: unknown): boolean =>
  isValidText(schema, value) &&
  Buffer.byteLength((value as string).slice((value as string).indexOf(":") + 1)) <= 128;
TypeRegistry.Set<TextSchema>("Actor", isActorText);

/** Whitespace and control characters, spelled out because `\s` differs between languages. */
const notInNames = "\\x00-\\x20\\x7f-\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

/** Who made a change: `<kind>:<name>`, the name at most 128 bytes of UTF-8. */
export const Actor = Type.Unsafe<string>({
  [Kind]: "Actor",
  type: "string",
  minLength: 1,
  maxLength: 135,
  pattern: `^(${actorKinds.join("|")}):[^${notInNames}]{1,128}$`,
  description: "Who did it: `<kind>:<name>`, where kind is human, bot, runner, or agent.",
  examples: ["agent:codex"],
});
export const isActor = (value: unknown): boolean => isActorText(Actor as unknown as TextSchema, value);

/** A lane from `SVC_LANES`. Operations check the value; documents list the configured lanes. */
export const Lane = Line(64, { "x-configured": "lanes", description: "One of the deployment's lanes." });

/** A lane in a response. Events keep lanes that were since removed from `SVC_LANES`. */
export const RecordedLane = Type.String({
  "x-configured": "known lanes",
  description: "Lane of the work. Older events may name lanes that are no longer configured.",
});

/** A repository by its path on its forge: `owner/name`, or with subgroups on GitLab. */
export const Repo = Type.String({
  pattern: "^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}(/[A-Za-z0-9._-]{1,255}){1,21}$",
  maxLength: 255,
  description: "Repository, `owner/name`; on GitLab also `group/subgroup/name`.",
  examples: ["acme/atlas"],
});

/** The number of an issue or a pull request. */
export const TaskNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647, examples: [12] });

/** The key of a task that another tracker has, see task-key.ts. */
export const TaskKey = Type.String({
  pattern: taskKeyPattern,
  maxLength: taskKeyMax,
  description: "Instead of `issue`: key of the task in a tracker such as Jira or Linear, as PROJ-123.",
});

/** The same in an answer, whose example has an issue. */
export const ShownTaskKey = { ...Nullable(TaskKey), examples: [null] };

/** The id of a run: the sender's own, or one that the service derived (see runs/rule.ts). */
export const RunId = (description: string, example?: string) =>
  Line(128, { description, ...(example && { examples: [example] }) });

export const Limit = (byDefault: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: byDefault, description: "Page size." }));

/**
 * The frames of a stream, pulled one at a time; null is the end. The consumer calls `close` when it stops.
 */
export class Frames {
  constructor(
    readonly next: () => Promise<Uint8Array | null>,
    readonly close: () => void,
  ) {}
}

/** An image, or in its caption why there is none. */
export interface CaptionedImage {
  caption: string;
  mime?: string;
  bytes?: Uint8Array;
}
