/** Some clients send every argument as text: a number, a boolean, or a list in JSON counts as what it says. */
import { checker, type InputSchema } from "../../../core/lib/validate.ts";

const readable = /^(-?\d+(\.\d+)?|true|false|\[.*\])$/s;

/**
 * Returns the arguments with such texts as values, only where the schema takes the value and not the text.
 * What cannot be read stays as it is, and fails validation.
 */
export function withTextRead(schema: InputSchema, args: Record<string, unknown>): Record<string, unknown> {
  const read = Object.entries(args).map(([name, value]) => [name, valueIn(schema.properties[name], value)]);
  return Object.fromEntries(read);
}

function valueIn(field: InputSchema["properties"][string] | undefined, value: unknown): unknown {
  if (typeof value !== "string" || !field || field.type === "string" || !readable.test(value)) return value;
  const check = checker(field);
  if (check.Check(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return check.Check(parsed) ? parsed : value;
  } catch {
    return value;
  }
}
