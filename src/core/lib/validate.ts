/** Validates values against schemas, with error messages that name the field as the caller knows it. */
import { Kind, type Static, type TObject, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { Errors, type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { Check } from "@sinclair/typebox/value";
import { badRequest } from "../problem.ts";
import { taskKeyPattern } from "../task-key.ts";
import { isPlainPattern } from "../wire.ts";
import { perObject } from "./cache.ts";

/** What a valid input of this schema is. */
export type InputOf<S extends TObject> = Static<S>;
export type InputSchema = TObject;
export type FieldSchema = TSchema;

/** The compiled validator of a schema. Compiled on first use, so that `svc --help` stays fast. */
export const checker = perObject((schema: TSchema): TypeCheck<TSchema> => TypeCompiler.Compile(schema));

interface Checker {
  Check(value: unknown): boolean;
  Errors(value: unknown): ReturnType<TypeCheck<TSchema>["Errors"]>;
}

/**
 * Checks by walking the schema. A command checks one small value: to compile the schema for that was a
 * twentieth of the CPU of a brief (`bun run bench help`).
 */
export const walker = (schema: TSchema): Checker => ({
  Check: (value) => Check(schema, value),
  Errors: (value) => Errors(schema, value),
});

/** Fields that were given, by name. */
type Given = Pick<ReadonlyMap<string, unknown>, "has" | "get">;

/** The fields of an object: making a `Map` of them takes as long as checking them (`svc event import`). */
export const fieldsOf = (object: object): Given => ({
  has: (name) => Object.hasOwn(object, name),
  get: (name) => (object as Record<string, unknown>)[name],
});

const propertiesOf = perObject((schema: TObject) => Object.entries(schema.properties));

/**
 * Validates input: keeps the fields of the schema and fills in defaults.
 * @throws {Problem} 400 for the first invalid field
 */
export function checkInput(
  schema: TObject,
  given: Given,
  checkerOf: (schema: TSchema) => Checker = checker,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, field] of propertiesOf(schema)) {
    const value = given.has(name) ? given.get(name) : field.default;
    if (value !== undefined) input[name] = value;
  }
  requireValid(checkerOf(schema), input);
  return input;
}

/** @throws {Problem} 400 for the first invalid field */
export function requireValid(check: Checker, value: unknown): void {
  if (!check.Check(value)) throw badRequest(explain(check.Errors(value).First() as ValueError));
}

/**
 * Converts a field given as text (query, header, form or flag). Only decimal digits become an integer,
 * and a list is separated by commas; anything else stays text and fails validation if it has to be another
 * type.
 */
export function fromText(field: TSchema | undefined, text: string): unknown {
  const list = listOption(field);
  if (list && text.includes(",")) {
    const items = text.split(",").map((item) => item.trim());
    return checker(list).Check(items) ? items : text; // a single value may contain a comma too
  }
  if (field?.type === "array") return text.split(",").map((item) => item.trim());
  return field?.type === "integer" && /^\d+$/.test(text) ? Number(text) : text;
}

/** The list of a field that is one value or a list of them; undefined for any other field. */
export const listOption = (field: TSchema | undefined): TSchema | undefined =>
  field?.anyOf?.find((option: TSchema) => option.type === "array");

/** The list that a field is or may be; undefined for any other field. */
export const listOf = (field: TSchema | undefined): TSchema | undefined =>
  field?.type === "array" ? field : listOption(field);

/** The message for a validation error, such as `events[3].kind must be one of …`. */
export function explain({ type, path, schema, value, message }: ValueError): string {
  const name =
    path
      .slice(1)
      .replace(/\/(\d+)/g, "[$1]")
      .replaceAll("/", ".") || "the body";
  if (value === undefined) return `${name} is required.`;
  if (type === ValueErrorType.ObjectAdditionalProperties) return `${name} is not a known field.`;
  return `${name} must be ${expected(schema) ?? message.toLowerCase()}.`;
}

function expected(schema: TSchema): string | null {
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.anyOf)
    return schema.anyOf
      .filter((option: TSchema) => option !== listOption(schema))
      .map((option: TSchema) => expected(option) ?? option.type)
      .join(", or ");
  if (schema[Kind] === "Cursor") return "the `next_cursor` of the previous page";
  if (schema[Kind] === "Actor") return "`<kind>:<name>`, where kind is human, bot, runner, or agent";
  if (schema.format === "date-time") return "an RFC 3339 timestamp such as 2026-01-02T03:04:05.123456Z";
  if (schema.format === "https-uri") return "an https URL";
  if (schema.format && schema.type === "string") return `a ${schema.format}`;
  if (schema[Kind] === "Line" || schema[Kind] === "Prose" || schema[Kind] === "Name") {
    const what = schema[Kind] === "Prose" ? "text" : "one line of text";
    const matching =
      schema[Kind] === "Name" || isPlainPattern(schema.pattern) ? "" : `, matching ${schema.pattern}`;
    return `${what} of 1 to ${schema.maxLength} bytes without control characters${matching}`;
  }
  if (schema.pattern === taskKeyPattern)
    return "the key of a task, such as PROJ-123: up to 64 letters, digits, and . _ -, not a number alone";
  if (schema.pattern) return `text matching ${schema.pattern}`;
  if (schema.type === "integer" || schema.type === "number") {
    const kind = schema.type === "integer" ? "an integer" : "a number";
    if (schema.maximum !== undefined) return `${kind} from ${schema.minimum ?? 0} to ${schema.maximum}`;
    return schema.minimum === undefined ? kind : `${kind} of at least ${schema.minimum}`;
  }
  if (schema.type === "array")
    return `a list of ${schema.minItems ?? 0} to ${schema.maxItems ?? "any number of"} items`;
  return schema.type === undefined ? null : `of type ${schema.type}`;
}
