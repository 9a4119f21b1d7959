/** What the validators of all services share. */

export interface ChatRequest {
  url: URL;
  headers: Headers;
  body: Uint8Array;
}

/** An accepted message, as its readers see it. */
export interface Taken {
  /** Everything that is shown, without markup. */
  text: string;
  /** Links and images. */
  urls: string[];
  /** People or groups that the message would notify. */
  mentions: string[];
}

export interface Validator {
  /** @throws {Refusal} what the service would answer */
  check(request: ChatRequest): Taken;
  /** The answer to an accepted message. */
  accepted(): Response;
}

export class Refusal extends Error {
  constructor(
    readonly answer: Response,
    reason: string,
  ) {
    super(reason);
  }
}

/** Runs a rule of a service; `refuse` answers as the service does. */
export type Refuse = (reason: string) => Refusal;

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Parses strictly: UTF-8 without errors, an object. */
export function readJson({ headers, body }: ChatRequest, refuse: Refuse): Json {
  if (!/^application\/json\b/.test(headers.get("content-type") ?? "")) throw refuse("content type");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw refuse("not JSON");
  }
  if (!isObject(value)) throw refuse("not an object");
  return value;
}

/** A string without lone surrogates, of a length in UTF-16 code units: never fewer than characters. */
export function text(value: unknown, max: number, refuse: Refuse, min = 1): string {
  if (typeof value !== "string") throw refuse("not a string");
  if (!value.isWellFormed()) throw refuse("not well-formed");
  if (value.trim().length < min || value.length > max) throw refuse(`${value.length} characters of ${max}`);
  return value;
}

export function webUrl(value: unknown, max: number, refuse: Refuse): string {
  const url = text(value, max, refuse);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw refuse(`no web URL: ${url}`);
  return url;
}

export function onlyKeys(value: Json, keys: readonly string[], refuse: Refuse): void {
  const other = Object.keys(value).find((key) => !keys.includes(key));
  if (other !== undefined) throw refuse(`unknown field ${other}`);
}

export function list(value: unknown, min: number, max: number, refuse: Refuse): unknown[] {
  if (!Array.isArray(value) || value.length < min || value.length > max) throw refuse("length of a list");
  return value;
}

export function object(value: unknown, refuse: Refuse): Json {
  if (!isObject(value)) throw refuse("not an object");
  return value;
}
