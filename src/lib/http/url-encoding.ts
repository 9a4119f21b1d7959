/** The percent-encoding of queries and urlencoded forms. */
import { badRequest } from "../../problem.ts";

const replacementCharacter = "\ufffd";
const sentReplacement = /%EF%BF%BD/i;

/**
 * The pairs of a query or form. `URLSearchParams` puts U+FFFD in place of what is not UTF-8.
 * @throws {Problem} 400 if it replaced a part of the value of a pair that is asked for
 */
export function* urlEncodedPairs(
  source: string,
  isAskedFor: (name: string) => boolean,
): Generator<[name: string, value: string]> {
  const hasReplacement = sentReplacement.test(source);
  for (const [name, value] of new URLSearchParams(source)) {
    if (!isAskedFor(name)) continue;
    if (!hasReplacement && value.includes(replacementCharacter))
      throw badRequest(`${name} is not valid UTF-8.`);
    yield [name, value];
  }
}
