/** The page of what admins take back: what that changes, a reason for it, and what was taken back before. */
import { Problem } from "../../core/problem.ts";
import { listRemovals, planRemoval, takeBack } from "../../library/operations/removals.ts";
import { type RemovalList, type RemovalPlan, takenBackKinds } from "../../library/removals/schema.ts";
import { formatCount } from "../format.ts";
import { PostForm, Select } from "../layout.tsx";
import { type Outcome, requireAdminVisitor, settingsFrame } from "../settings/sections.tsx";
import { callOperation, type Form, orRefusal, type Page, type View } from "../view.ts";
import { RemovalTable } from "./removal-table.tsx";

export const takeBackPath = "/removals";
export const takeBackParameters = ["kind", "subject", "done", "cursor"];

/** The page that asks before a text is redacted. */
export const takeBackUrl = (kind: string, subject: string | number): string =>
  `${takeBackPath}?kind=${kind}&subject=${subject}`;

/**
 * @param why a form was refused
 * @throws {Problem} 401 or 403 unless the visitor is an admin
 */
export async function takeBackPage(view: View, why?: string): Promise<Page> {
  requireAdminVisitor(view);
  const query = view.url.searchParams;
  const [kind, subject] = [query.get("kind"), query.get("subject")?.trim()];
  const cursor = query.get("cursor");
  const [plan, refusal] = kind && subject ? await loadPlan(view, { kind, subject }) : [null, undefined];
  const list = await callOperation<RemovalList>(view, listRemovals, cursor ? { cursor } : {});
  const refused = why ?? refusal;
  const outcome = refused ? { text: refused, isGood: false } : done;
  return settingsFrame(view, "takeBack", {
    outcome: refused || query.has("done") ? outcome : undefined,
    children: (
      <>
        {plan ? <Confirm view={view} plan={plan} /> : <Choose kind={kind} subject={subject} />}
        <RemovalTable list={list} />
      </>
    ),
  });
}

const done: Outcome = { text: "Done. Every place where it stood says so.", isGood: true };

async function loadPlan(
  view: View,
  subject: { kind: string; subject: string },
): Promise<[RemovalPlan | null, string | undefined]> {
  try {
    return [await callOperation<RemovalPlan>(view, planRemoval, subject), undefined];
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 404].includes(error.status)) throw error;
    return [null, error.detail];
  }
}

const Choose = ({ kind, subject = "" }: { kind: string | null; subject: string | undefined }) => (
  <section>
    <p class="soft">
      Something was recorded that should not be here: see everything that would change, then redact it, or
      erase a person. Nothing changes before you confirm. Files are taken back on the page of their asset.
    </p>
    <form method="get" action={takeBackPath} class="filters">
      <Select
        name="kind"
        label="What"
        value={kind ?? takenBackKinds[0]}
        options={takenBackKinds}
        hasAll={false}
      />
      <label>
        ID <input name="subject" required value={subject} autoComplete="off" />
      </label>
      <button type="submit">Show what would change</button>
    </form>
  </section>
);

const Confirm = ({ view, plan }: { view: View; plan: RemovalPlan }) => (
  <section>
    <h2>{questionOf(plan)}</h2>
    {plan.names.length > 0 && <p>In texts, as whole words: {plan.names.join(", ")}</p>}
    <ul>
      {plan.places.map(({ place, rows }) => (
        <li key={place}>
          {formatCount(rows)} in {place.replaceAll("_", " ")}
        </li>
      ))}
    </ul>
    <p class="soft">
      {effects[plan.kind as keyof typeof effects] ?? effects.text} There is no undo. Backups made before still
      have it, but do not bring it back here.
    </p>
    {plan.removal && plan.kind !== "project" ? (
      <p>It was already taken back.</p>
    ) : (
      <PostForm view={view} action={takeBackPath} class="filters">
        <input type="hidden" name="kind" value={plan.kind} />
        <input type="hidden" name="subject" value={plan.subject} />
        <label class="reason">
          Reason <input name="reason" required maxLength={512} autoComplete="off" />
        </label>
        <button type="submit" class="danger">
          {verbs[plan.kind as keyof typeof verbs] ?? "Redact"}
        </button>
        <a href={takeBackPath}>Cancel</a>
      </PostForm>
    )}
  </section>
);

const verbs = { person: "Erase", project: "Remove" };
const effects = {
  person: "The names are replaced everywhere, tokens and sessions end, and what they did still counts.",
  project: "Everything in the project is deleted, with all of its files; permanent URLs answer 410.",
  text: "The text is deleted everywhere; your name, the date and the reason stand in its place.",
};

function questionOf({ kind, subject }: RemovalPlan): string {
  if (kind === "person") return `Erase ${subject}?`;
  return kind === "project" ? `Remove the project ${subject}?` : `Redact the text of ${kind} ${subject}?`;
}

/** @returns the URL to redirect to, or the page that says why not */
export async function submitTakeBack(view: View, form: Form): Promise<string | Page> {
  const input = Object.fromEntries(
    ["kind", "subject", "reason"].map((name) => [name, form.get(name)?.trim()]),
  );
  const work = async () => {
    await callOperation(view, takeBack, input);
    return `${takeBackPath}?done`;
  };
  return orRefusal([400, 404, 409], work, (why) => takeBackPage(view, why));
}
