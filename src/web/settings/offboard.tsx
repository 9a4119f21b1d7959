/** The page that ends the access of someone who leaves: whom, what they have, and who gets it. */
import type { ComponentChildren } from "preact";
import { callerOfToken, listTokens } from "../../core/auth/authentication.ts";
import { listPeople } from "../../core/people/operations.ts";
import type { People } from "../../core/people/schema.ts";
import { Problem } from "../../core/problem.ts";
import type { Offboarding } from "../../integrations/offboarding/schema.ts";
import { offboard, previewOffboarding } from "../../integrations/operations/offboarding.ts";
import { formatCount } from "../format.ts";
import { PostForm } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Form, orRefusal, type Page, type View } from "../view.ts";
import { NewSecret } from "./code.tsx";
import { requireAdminVisitor, settingsFrame } from "./sections.tsx";

export const offboardPath = "/settings/offboard";
export const offboardParameters = ["name"];

/**
 * @param why a form was refused
 * @param ended what was offboarded just now, with new secrets that are shown this once
 * @throws {Problem} 401 or 403 unless the visitor is an admin
 */
export async function offboardPage(view: View, why?: string, ended?: Offboarding): Promise<Page> {
  requireAdminVisitor(view);
  const { ctx } = view;
  const name = view.params.name ?? (view.url.searchParams.get("name")?.trim() || null);
  const tokens = (await listTokens(ctx)).filter((token) => callerOfToken(token, ctx.now()));
  const { people } = await callOperation<People>(view, listPeople);
  const [found, refusal] = name === null ? [null, why] : await loadPreview(view, name, why);
  const names = [
    ...new Set([
      ...people.flatMap(({ id, active }) => (active ? id : [])),
      ...tokens.map((token) => token.name),
    ]),
  ];
  return settingsFrame(view, "offboard", {
    outcome: refusal ? { text: refusal, isGood: false } : undefined,
    children: (
      <>
        {ended && <Ended ended={ended} />}
        <section>
          <p class="soft">
            Someone left, or a token leaked: see everything they have, then end it in one step. Nothing
            changes before you confirm.
          </p>
          <form method="get" action={offboardPath} class="filters">
            <label>
              Person or token{" "}
              <input name="name" list="names" required value={name ?? ""} autoComplete="off" />
            </label>
            <datalist id="names">
              {names.map((one) => (
                <option key={one} value={one} />
              ))}
            </datalist>
            <button type="submit">Show what they have</button>
          </form>
        </section>
        {found && (
          <>
            <section>
              <h2>
                {found.name} {ended ? "still has" : "has"}
              </h2>
              <Belongings found={found} />
            </section>
            {!ended && (
              <ConfirmForm
                view={view}
                found={found}
                heirs={tokens.map((token) => token.name).filter((one) => !found.tokens.includes(one))}
              />
            )}
          </>
        )}
      </>
    ),
  });
}

async function loadPreview(
  view: View,
  name: string,
  why: string | undefined,
): Promise<[Offboarding | null, string | undefined]> {
  try {
    return [await callOperation<Offboarding>(view, previewOffboarding, { name }), why];
  } catch (error) {
    if (!(error instanceof Problem) || ![400, 404].includes(error.status)) throw error;
    return [null, error.detail];
  }
}

/** A kind of thing that a person has. */
interface Belonging {
  what: string;
  /** Empty: none. */
  which: ComponentChildren;
  fate: string;
}

const columns: readonly Column<Belonging>[] = [
  { label: "What", isName: true, cell: ({ what }) => what },
  { label: "Which", class: "wraps", cell: ({ which }) => which || <span class="soft">none</span> },
  { label: "What happens", class: "grow", cell: ({ which, fate }) => which && fate },
];

const Belongings = ({ found }: { found: Offboarding }) => (
  <Table
    label={`What ${found.name} has`}
    isSmall
    columns={columns}
    rows={belongingsOf(found)}
    keyOf={({ what }) => what}
  />
);

const belongingsOf = (found: Offboarding): Belonging[] => [
  { what: "Tokens", which: found.tokens.join(", "), fate: "Revoked" },
  { what: "Sessions", which: countOf(found.sessions), fate: "End at once" },
  { what: "Sign-in links", which: countOf(found.sign_in_links), fate: "End at once" },
  { what: "Email digests", which: namesOf(found.email_digests), fate: "Removed" },
  { what: "Share links", which: linksTo("/shares", found.shares), fate: "Handed over, or revoked" },
  {
    what: "Webhooks",
    which: linksTo("/settings/webhooks", found.webhooks),
    fate: "Handed over with a new secret, or paused",
  },
  {
    what: "Review requests",
    which: linksTo("/assets", found.review_requests),
    fate: "Handed over, or left to the other reviewers",
  },
  ...(found.is_person ? [{ what: "Emails and logins", which: "all", fate: "Unlinked" }] : []),
  ...(found.has_identity
    ? [{ what: "Identity provider", which: "signs in there", fate: "End the account there, too" }]
    : []),
];

type Named = { id: string; name: string };

const countOf = (count: number): string => (count > 0 ? formatCount(count) : "");
const namesOf = (list: readonly Named[]): string => list.map(({ name }) => name).join(", ");
const linksTo = (folder: string, list: readonly Named[]): ComponentChildren =>
  list.length > 0 &&
  list.map(({ id, name }, index) => (
    <>
      {index > 0 && ", "}
      <a key={id} href={`${folder}/${id}`}>
        {name}
      </a>
    </>
  ));

const ConfirmForm = ({ view, found, heirs }: { view: View; found: Offboarding; heirs: string[] }) => (
  <section>
    <h2>End it</h2>
    <PostForm view={view} action={`${offboardPath}/${found.name}`} class="filters">
      <label>
        Hand over to{" "}
        <select name="to">
          <option value="">no one</option>
          {heirs.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <button type="submit" class="danger">
        Offboard {found.name}
      </button>
    </PostForm>
    <p class="soft">
      There is no undo. Webhooks that you hand over get a new signing secret, which the next page shows once;
      for a day, the old one signs too.
    </p>
  </section>
);

/** What was done, and the new secrets of webhooks that were handed over. */
const Ended = ({ ended }: { ended: Offboarding }) => (
  <>
    <p class="notice good" role="status">
      {ended.name} was offboarded. What is left is below.
    </p>
    {ended.rotated.map(({ id, name, secret, previous_until }) => (
      <NewSecret key={id} text={secret} what={`the new signing secret of ${name}`}>
        {ended.to} has <a href={`/settings/webhooks/${id}`}>{name}</a> now. Until{" "}
        <Time ts={previous_until} as="exact" />, requests are signed with the old secret too.{" "}
      </NewSecret>
    ))}
  </>
);

/** @returns the page that says what was done, or why not */
export async function submitOffboarding(view: View, form: Form): Promise<Page> {
  const { name = "" } = view.params;
  const work = async () => {
    const ended = await callOperation<Offboarding>(view, offboard, { name, to: form.get("to") || undefined });
    return offboardPage(view, undefined, ended);
  };
  return orRefusal([400, 404], work, (why) => offboardPage(view, why));
}
