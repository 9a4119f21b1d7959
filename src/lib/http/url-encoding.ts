/** The percent-encoding of queries and urlencoded forms. */
import { badRequest } from "../../problem.ts";

const replacementCharacter = "\ufffd";
const sentReplacement = /%EF%BF%BD/i;

/**
 * `URLSearchParams` puts U+FFFD in place of what is not UTF-8.
 * @param source the query or form that it decoded
 * @throws {Problem} 400 if it replaced a part of the value
 */
export function requireUtf8(name: string, value: string, source: string): void {
  if (value.includes(replacementCharacter) && !sentReplacement.test(source))
    throw badRequest(`${name} is not valid UTF-8.`);
}
