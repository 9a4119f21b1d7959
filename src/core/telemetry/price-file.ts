/** The file of `SVC_PRICES`: prices that come before those of the built-in list. */
import { readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const Usd = Type.Number({ minimum: 0, maximum: 1e6 });

/** USD for a million tokens. Without a price for the cache, its tokens cost what input does. */
const ModelPrice = Type.Object(
  { input: Usd, output: Usd, cache_read: Type.Optional(Usd), cache_write: Type.Optional(Usd) },
  { additionalProperties: false },
);
export type ModelPrice = Static<typeof ModelPrice>;

const PriceFile = Type.Object(
  {
    date: Type.String({ pattern: "^\\d{4}-\\d\\d-\\d\\d$" }),
    models: Type.Record(Type.String(), ModelPrice),
  },
  { additionalProperties: false },
);
export type PriceFile = Static<typeof PriceFile>;

/** Returns the prices, or in words why there are none. */
export function readPriceFile(path: string): PriceFile | string {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return error instanceof SyntaxError
      ? "is not JSON"
      : `cannot be read (${(error as { code?: string }).code})`;
  }
  if (Value.Check(PriceFile, content)) return content;
  const problem = Value.Errors(PriceFile, content).First();
  const place = problem?.path.slice(1).replaceAll("/", ".") || "the file";
  return `is not a price list: ${place}: ${problem?.message.toLowerCase()}`;
}
