/**
 * The issue that a pull request says it closes: "Fixes #13", in its title or description.
 * https://docs.github.com/articles/closing-issues-using-keywords
 * https://docs.gitlab.com/user/project/issues/managing_issues/#default-closing-pattern
 */
import { TaskNumber } from "../../core/wire.ts";
import type { Text } from "../incoming-webhooks/event-text.ts";

const keywords = "close[sd]?|closing|fix(?:e[sd]|ing)?|resolve[sd]?|resolving|implement(?:s|ed|ing)?";
/** Quantifiers are bounded, so that no description takes long. */
const reference = new RegExp(
  `\\b(?:${keywords}):?[ \\t]{1,8}(?:(https?://[^\\s#]{1,512}/)issues/|([\\w./-]{0,255})#|GH-)(\\d{1,16})\\b`,
  "gi",
);

/** The first issue of this repository that one of the texts closes, as a field of an event. */
export function closedIssue(repo: string, ...texts: Text[]): { issue?: number } {
  const own = repo.toLowerCase();
  for (const text of texts)
    for (const [, url, other, digits] of withoutComments(text ?? "").matchAll(reference)) {
      const number = Number(digits);
      const isOwn = url ? url.toLowerCase().includes(`/${own}/`) : !other || other.toLowerCase() === own;
      if (isOwn && number >= 1 && number <= (TaskNumber.maximum as number)) return { issue: number };
    }
  return {};
}

/** Comments are the instructions of a template. */
function withoutComments(text: string): string {
  let rest = text;
  for (let begin = rest.indexOf("<!--"); begin >= 0; begin = rest.indexOf("<!--", begin)) {
    const end = rest.indexOf("-->", begin);
    rest = rest.slice(0, begin) + (end < 0 ? "" : rest.slice(end + 3));
  }
  return rest;
}
