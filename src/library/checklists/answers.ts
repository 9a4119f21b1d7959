/** The answers of a review to the checklist. */
import { escapeControls, isolateBidi } from "../../core/lib/strings/display-text.ts";
import { badRequest, conflict } from "../../core/problem.ts";
import type { ChecklistRow } from "../rows.ts";
import type { Verdict } from "../verdicts/schema.ts";
import type { Answers, AnswersInput } from "./schema.ts";

/**
 * Checks the answers of a review.
 * @param checklist the current one; null if there is none
 * @returns the answers with the texts of their items, in the order of the checklist; null without any
 * @throws {Problem} 409 for answers to another version, 400 for an answer without an item, and for an
 *   approval that leaves a required item open or fails it
 */
export function requireAnswers(
  checklist: ChecklistRow | null,
  given: AnswersInput | undefined,
  decision: Verdict["decision"],
): Answers | null {
  if (given) requireCurrentVersion(checklist, given);
  if (!checklist) return null;
  const answerOf = new Map(given?.answers.map((answer) => [answer.id, answer]));
  const stranger = given?.answers.find(({ id }) => !checklist.items.some((item) => item.id === id));
  if (stranger) throw badRequest(`checklist: there is no item "${stranger.id}".`);
  if (given && answerOf.size < given.answers.length)
    throw badRequest("checklist: an item is answered twice.");
  const answers = checklist.items.flatMap((item) => {
    const answer = answerOf.get(item.id);
    return answer ? [{ ...item, ...answer }] : [];
  });
  if (decision === "approved") requireAllPassed(checklist, answers);
  return given ? { version: checklist.version, answers } : null;
}

function requireCurrentVersion(checklist: ChecklistRow | null, { version }: AnswersInput): void {
  if (!checklist) throw conflict("This checklist was removed after you opened it. Reload the asset.");
  if (version !== checklist.version)
    throw conflict(
      `The checklist has changed: you answered version ${version}, and version ${checklist.version} is ` +
        "current. Reload the asset and answer it.",
    );
}

function requireAllPassed({ items }: ChecklistRow, answers: Answers["answers"]): void {
  const required = items.filter((item) => item.required);
  const open = required.find((item) => !answers.some(({ id }) => id === item.id));
  if (open)
    throw badRequest(`To approve, answer the required item "${isolateBidi(open.text)}" of the checklist.`);
  const failed = answers.find((answer) => answer.required && answer.result === "fail");
  if (failed)
    throw badRequest(
      `The required item "${isolateBidi(failed.text)}" of the checklist failed. Reject the asset instead.`,
    );
}

/** The failed items as lines of a rejection. */
export const failureLines = (answers: Answers | null): string[] =>
  (answers?.answers ?? [])
    .filter(({ result }) => result === "fail")
    .map(({ text, note }) => `[must] checklist ${quoted(text)}${note ? `: ${escapeControls(note)}` : ""}`);

const quoted = (text: string): string => `"${escapeControls(text).replace(/["\\]/g, "\\$&")}"`;
