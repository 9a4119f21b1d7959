/**
 * JSON that is put together from texts which are JSON already. Events and assets are stored with their text,
 * so a page of them is those texts joined: to parse and render the rows of a page again takes longer than all
 * other work of its request (`bun run bench feed`, `bun run bench assets`). Other modules do not cut JSON.
 */

type JsonPart = string | Uint8Array<ArrayBuffer>;

/** A text that parses to a `T`. */
export class Json<T> {
  declare readonly parsed: T;
  /** Texts, or texts in UTF-8, which are sent without a string of them. */
  readonly parts: readonly JsonPart[];

  constructor(...parts: JsonPart[]) {
    this.parts = parts;
  }

  get text(): string {
    const [only] = this.parts;
    if (this.parts.length === 1 && typeof only === "string") return only;
    const texts = this.parts.map((part) =>
      typeof part === "string" ? part : new TextDecoder().decode(part),
    );
    return texts.join("");
  }
}

/** The fields of a `T`, of which some are JSON already. */
type RenderedFields<T> = {
  [K in keyof T]: T[K] | Json<T[K]> | (T[K] extends readonly (infer E)[] ? readonly Json<E>[] : never);
};

const isRendered = (value: unknown): value is readonly Json<unknown>[] =>
  Array.isArray(value) && value[0] instanceof Json;

/** An object as JSON. Adjacent texts become one part. */
export function jsonObject<T extends object>(fields: RenderedFields<T>): Json<T> {
  const parts: JsonPart[] = [];
  let text = "{";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    text += `${text === "{" && parts.length === 0 ? "" : ","}"${name}":`;
    if (!(value instanceof Json)) {
      text += isRendered(value) ? `[${value.map((one) => one.text)}]` : JSON.stringify(value);
      continue;
    }
    for (const part of value.parts) {
      if (typeof part === "string") text += part;
      else {
        parts.push(text, part);
        text = "";
      }
    }
  }
  return new Json(...parts, `${text}}`);
}

/** A list of rows whose texts are joined by commas already. */
export const jsonList = <E>(joined: JsonPart): Json<E[]> => new Json("[", joined, "]");

/** The object of a row, with the fields of another object after its own. Neither is empty. */
export const jsonWith = <T>(row: string, more: string): Json<T> =>
  new Json(`${row.slice(0, -1)},${more.slice(1)}`);
