/** The checklist in the review form, and its answers when the form is sent. */

import type { AnswersInput, ChecklistItem } from "../../library/checklists/schema.ts";
import type { ReviewState } from "../../library/verdicts/review-state.ts";
import type { Verdict } from "../../library/verdicts/schema.ts";

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

export type Answers = NonNullable<Verdict["checklist"]>;

export type Result = Answers["answers"][number]["result"];

export const resultNames: Record<Result, string> = { pass: "Pass", fail: "Fail", na: "N/A" };
