/**
 * Who sees whose work it is. With SVC_HIDE_PERSONS only admins do, and each person their own. Answers of all
 * operations pass here, so a new one leaks no one.
 */
import type { Config } from "../config.ts";
import { Json } from "../rendered-json.ts";
import { Frames } from "../wire.ts";
import type { Caller } from "./caller.ts";
import { isAdmin } from "./permissions.ts";

type Reader = Pick<Caller, "name" | "role" | "scopes" | "projects">;

/** Readers without a token see no one either, except of demo data. */
export const seesPersons = (reader: Reader, { hidePersons, mock }: Pick<Config, "hidePersons" | "mock">) =>
  isAdmin(reader) || (!hidePersons && (reader.name !== null || mock));

/** Cannot be within a text, whose quotes are escaped, and an id has none. */
const member = /"person":"([^"]*)"/g;

/** JSON without the persons in it, except for one's own. */
export const hidePersonsIn = (json: string, own?: string): string =>
  json.replace(member, (found, id) => (id === own ? found : '"person":null'));

/** The answer of an operation as a caller may see it. */
export function withoutPersons<T>(answer: T, own?: string): T {
  if (answer instanceof Json) return new Json(hidePersonsIn(answer.text, own)) as T;
  if (typeof answer !== "object" || answer === null || answer instanceof Frames) return answer;
  const text = JSON.stringify(answer);
  return text.search(member) < 0 ? answer : JSON.parse(hidePersonsIn(text, own));
}
