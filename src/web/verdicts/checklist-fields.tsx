/** @jsxImportSource preact */
/** The checklist in the review form, its answers when the form is sent, and what else the form needs. */

import { actorOf } from "../../core/auth/actor.ts";
import type { AssetDetail } from "../../library/assets/schema.ts";
import { currentChecklist } from "../../library/checklists/checklists.ts";
import type { AnswersInput, ChecklistItem } from "../../library/checklists/schema.ts";
import type { ChecklistRow, VerdictRow } from "../../library/rows.ts";
import type { Verdict } from "../../library/verdicts/schema.ts";
import { isMaker, principalOf, reviewRoleOf, voterOf } from "../../library/verdicts/verdict.ts";
import type { View } from "../view.ts";

type Answer = AnswersInput["answers"][number];

interface ChecklistFieldsProps {
  state: Pick<ReviewState, "checklist" | "own">;
  given: AnswersInput | undefined;
}

/** @param given the answers of a review that was not saved */
export function ChecklistFields({ state, given }: ChecklistFieldsProps) {
  const { checklist, own } = state;
  if (!checklist) return null;
  const known = given ?? own?.checklist;
  const answers: readonly Answer[] = known?.version === checklist.version ? known.answers : [];
  return (
    <fieldset class="review-checklist">
      <legend>
        Checklist <span class="soft">version {checklist.version}</span>
      </legend>
      <input type="hidden" name={versionField} value={checklist.version} />
      <ul>
        {checklist.items.map((item) => (
          <Item key={item.id} item={item} answer={answers.find(({ id }) => id === item.id)} />
        ))}
      </ul>
    </fieldset>
  );
}

const Item = ({ item, answer }: { item: ChecklistItem; answer: Answer | undefined }) => (
  <li>
    <fieldset>
      <legend>
        <bdi>{item.text}</bdi>
        {!item.required && <span class="soft"> (optional)</span>}
      </legend>
      <div class="results">
        {Object.entries(resultNames).map(([result, label]) => (
          <label key={result}>
            <input
              type="radio"
              name={resultField(item.id)}
              value={result}
              required={item.required}
              checked={answer?.result === result}
            />{" "}
            {label}
          </label>
        ))}
      </div>
      <label class="failure">
        <span class="visually-hidden">What is wrong: {item.text}</span>
        <input name={noteField(item.id)} maxLength={400} placeholder="What is wrong" value={answer?.note} />
      </label>
    </fieldset>
  </li>
);

const versionField = "checklist_version";
const resultField = (id: string): string => `check-${id}`;
const noteField = (id: string): string => `check-note-${id}`;

/** The answers of a form; undefined if its asset has no checklist. */
export function answersOf(form: ReadonlyMap<string, string>): AnswersInput | undefined {
  const version = form.get(versionField);
  if (version === undefined) return undefined;
  const prefix = resultField("");
  const answers = [...form].flatMap(([name, result]) => {
    if (!name.startsWith(prefix) || name.startsWith(noteField("")) || !result) return [];
    const id = name.slice(prefix.length);
    const note = result === "fail" ? form.get(noteField(id))?.trim() : undefined;
    // safe because: the operation checks it
    return [{ id, result: result as Answer["result"], ...(note && { note }) }];
  });
  return { version: Number(version), answers };
}

/** What the review panel needs in addition to the asset: the checklist, and the visitor's relation to this version. */
export interface ReviewState {
  checklist: ChecklistRow | null;
  /** The visitor's last verdict on this version. */
  own: VerdictRow | null;
  /** The visitor made this version. */
  isMaker: boolean;
  /** The role that the visitor's review counts for. */
  role: string | null;
  /** The id of the decision that the last rejection of this version became. */
  decision: number | null;
}

export async function loadReviewState(
  { ctx: { data }, visitor: { caller } }: View,
  { id, project, kind }: AssetDetail,
): Promise<ReviewState> {
  const [checklist, verdicts, row, [reviewed]] = await Promise.all([
    currentChecklist(data, project ?? "", kind),
    caller.name === null ? [] : data.verdicts([id]),
    caller.name === null ? null : data.asset(caller.projects, id),
    data.reviewStates(caller.projects, [id]),
  ]);
  const voter = voterOf(caller);
  const maker = { principal: principalOf(caller), reviewer: actorOf(caller, undefined) };
  return {
    checklist,
    own: verdicts.find((verdict) => verdict.voter === voter) ?? null,
    isMaker: row !== null && isMaker(row, maker),
    role: reviewRoleOf(caller),
    decision: reviewed?.decision_id ?? null,
  };
}

export type Answers = NonNullable<Verdict["checklist"]>;

export type Result = Answers["answers"][number]["result"];

export const resultNames: Record<Result, string> = { pass: "Pass", fail: "Fail", na: "N/A" };
