/**
 * Values for a schema of the OpenAPI document: mostly right ones, and ones that are wrong in every way we
 * know.
 */
import fc, { type Arbitrary } from "fast-check";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Shapes by their name among the components. */
export type Shapes = Record<string, Schema>;

/**
 * Things that exist, by the name of the field that may hold them: without them every answer would be a 404.
 */
export type Known = Record<string, readonly unknown[]>;

/** Text that has broken something somewhere. */
export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[
      "",
      " ",
      "\0",
      "a\0b",
      "\u0001",
      "\n",
      "\r\n",
      "\u2028",
      "\ufeff",
      "\u202e",
      "\u{e0041}",
      "\ud800",
      "\udfff\ud800",
      "é".repeat(600),
    ],
    ...[
      "__proto__",
      "constructor",
      "toString",
      "null",
      "true",
      "NaN",
      "undefined",
      "[object Object]",
      "-0",
      "1e400",
      "0x10",
      "1e2",
      " 5",
      "+5",
    ],
    ...[
      "../../etc/passwd",
      "..%2f..%2f",
      "%00",
      "%",
      "%zz",
      "/",
      "\\",
      ".",
      "..",
      "a/b",
      "?",
      "#",
      "&",
      "=",
      ";",
      "%2e%2e/",
    ],
    ...[
      "' or 1=1 --",
      "'; drop table events; --",
      '"',
      "$1",
      "{{7*7}}",
      "$\u007b7*7}",
      "*",
      "%_",
      "a* OR b",
      "text:secret",
      "NEAR(a b)",
    ],
    ...[
      "<script>alert(1)</script>",
      "javascript:alert(1)",
      "\u001b[2J",
      "\u001b]52;c;eA==\u0007",
      "data: x\n\nid: 7",
    ],
    ...[
      "2026-02-30T00:00:00Z",
      "infinity",
      "now",
      "epoch",
      "9999-12-31T23:59:59.999999999Z",
      "0000-01-01T00:00:00Z",
      "2026-01-01 00:00:00",
    ],
    ...["4294967296", "9223372036854775808", "2147483648", "-1", "0", "1.5", "9".repeat(400)],
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ maxLength: 3 }).map((text) => text.repeat(5_000)),
);

const hostileNumber = fc.constantFrom(
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 31 - 1,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  -0,
);

/** Anything that JSON can say. */
export const anything: Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom(
    null,
    true,
    false,
    [],
    {},
    [[]],
    [null],
    { length: 5 },
    JSON.parse('{"__proto__":{"polluted":true}}'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The shape behind a name. */
export const resolved = (schema: Schema, shapes: Shapes): Schema =>
  schema.$ref ? (shapes[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;

/** A value of this schema, or, one time in ten, anything. */
export function anyValue(
  schema: Schema,
  shapes: Shapes,
  existing: Known = {},
  name = "",
): Arbitrary<unknown> {
  return fc.oneof(
    { weight: 9, arbitrary: rightValue(schema, shapes, existing, name) },
    { weight: 1, arbitrary: anything },
  );
}

function rightValue(schema: Schema, shapes: Shapes, existing: Known, name: string): Arbitrary<unknown> {
  const found = existing[name];
  if (found?.length)
    return fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...found) },
      { weight: 1, arbitrary: plainValue(schema, shapes, existing) },
    );
  return plainValue(schema, shapes, existing);
}

function plainValue(schema: Schema, shapes: Shapes, existing: Known): Arbitrary<unknown> {
  if (schema.$ref) return plainValue(resolved(schema, shapes), shapes, existing);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => plainValue(one, shapes, existing)));
  const types = [schema.type ?? "string"].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, shapes, existing)));
}

function ofType(type: string, schema: Schema, shapes: Shapes, existing: Known): Arbitrary<unknown> {
  const { minimum = 0, maximum = 2 ** 31 - 1, minItems = 0, maxItems = 6 } = schema;
  if (type === "null") return fc.constant(null);
  if (type === "boolean") return fc.boolean();
  if (type === "integer")
    return fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) });
  if (type === "number") return fc.double({ min: minimum, max: Math.min(maximum, 1e9), noNaN: true });
  if (type === "array")
    return fc.array(anyValue(schema.items ?? {}, shapes, existing), {
      minLength: minItems,
      maxLength: Math.max(minItems, Math.min(maxItems, 6)),
    });
  if (type === "object") return objectOf(schema, shapes, existing);
  return textOf(schema);
}

function objectOf(
  { properties = {}, required = [] }: Schema,
  shapes: Shapes,
  existing: Known,
): Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, anyValue(one, shapes, existing, name)]),
  );
  return fc.record(members, { requiredKeys: required.filter((name) => name in members) });
}

function textOf({ pattern, format, minLength = 0, maxLength = 40 }: Schema): Arbitrary<string> {
  if (format === "date-time")
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date("2030-01-01") })
      .map((date) => date.toISOString());
  if (format === "date")
    return fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString().slice(0, 10));
  if (pattern) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) });
}
