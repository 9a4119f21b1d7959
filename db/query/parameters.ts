import { is, Param, Placeholder } from "drizzle-orm";
import type { Values } from "../dialect/client.ts";

/**
 * Returns a function that lists the values of a statement's parameters. drizzle's own `fillPlaceholders`
 * inspects each parameter again at every call (`bun run bench feed`).
 */
export function parameterLister(params: readonly unknown[]): (values: Values) => unknown[] {
  const readers = params.map(parameterReader);
  return (values) => readers.map((read) => read(values));
}

function parameterReader(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return (values) => values[param.name];
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
  const { value, encoder } = param;
  return (values) => encoder.mapToDriverValue(values[value.name]);
}
