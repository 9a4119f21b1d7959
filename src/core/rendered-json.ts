/**
 * JSON that is put together from texts which are JSON already. Events and assets are stored with their text,
 * so a page of them is those texts joined: to parse and render the rows of a page again takes longer than all
 * other work of its request (`bun run bench feed`, `bun run bench assets`). Other modules do not cut JSON.
 */

/** A text that parses to a `T`. */
export class Json<T> {
  declare readonly parsed: T;

  constructor(readonly text: string) {}
}

/** The fields of a `T`, of which some are JSON already. */
type RenderedFields<T> = {
  [K in keyof T]: T[K] | Json<T[K]> | (T[K] extends readonly (infer E)[] ? readonly Json<E>[] : never);
};

const isRendered = (value: unknown): value is readonly Json<unknown>[] =>
  Array.isArray(value) && value[0] instanceof Json;

function rendered(value: unknown): string {
  if (value instanceof Json) return value.text;
  return isRendered(value) ? `[${value.map(({ text }) => text)}]` : JSON.stringify(value);
}

/** An object as JSON. */
export function jsonObject<T extends object>(fields: RenderedFields<T>): Json<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new Json(`{${given.map(([name, value]) => `"${name}":${rendered(value)}`)}}`);
}

/** A list of rows whose texts are joined by commas already. */
export const jsonList = <E>(joined: string): Json<E[]> => new Json(`[${joined}]`);

/** The object of a row, with the fields of another object after its own. Neither is empty. */
export const jsonWith = <T>(row: string, more: string): Json<T> =>
  new Json(`${row.slice(0, -1)},${more.slice(1)}`);
