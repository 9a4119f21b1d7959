/** The tokens of the database, without their secrets, and the command that creates one. */
import { callerOfToken, listTokens as listTokenRows } from "../../core/auth/authentication.ts";
import { covers } from "../../core/auth/permissions.ts";
import type { Role } from "../../core/auth/scopes.ts";
import type { CreatedSignInLink } from "../../core/auth/session/sign-in-link-schema.ts";
import type { AccessToken, TokenList } from "../../core/auth/token-requests.ts";
import { revokeSignInLinks } from "../../core/operations.ts";
import { type FullNames, listFullNames } from "../../feed/filter-values.ts";
import { listTokens } from "../../feed/operations/tokens.ts";
import { ConfirmForm } from "../confirm-form.tsx";
import { pluralize } from "../format.ts";
import { EmptyState, PostForm } from "../layout.tsx";
import { personName } from "../lists/owners.ts";
import { type Column, Table } from "../lists/table.tsx";
import { takeBackPath } from "../removals/take-back-page.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { NewLink } from "./code.tsx";
import { offboardPath } from "./offboard.tsx";
import { type Outcome, requireAdminVisitor, settingsFrame } from "./sections.tsx";
import { CreateForm } from "./token-command.tsx";

/** Roles for programs, which need no session on the website. */
const programRoles: ReadonlySet<Role | null> = new Set<Role | null>(["telemetry", "ci", "agent"]);

/** `svc token list` shows all. */
const tokensMax = 200;

export const tokenPath = (name: string): string => `/settings/tokens/${name}`;

/** @throws {Problem} 401 or 403 unless the visitor is an admin */
export async function tokensPage(view: View, link?: CreatedSignInLink): Promise<Page> {
  requireAdminVisitor(view);
  const { tokens } = await callOperation<TokenList>(view, listTokens);
  const names = await listFullNames(view.ctx, view.visitor.caller);
  const active = tokens.filter((token) => isActive(view, token));
  const inactive = tokens.length - active.length;
  const revoked = view.url.searchParams.get("revoked");
  const outcome: Outcome | undefined =
    revoked === null ? undefined : { text: `Revoked. ${revoked}`.trim(), isGood: true };
  return settingsFrame(view, "tokens", {
    outcome,
    children: (
      <>
        {link && <SignInLink link={link} />}
        <section>
          <p class="soft">
            Someone left, or a token leaked? <a href={offboardPath}>See what they have, and end it</a>.
            Something was recorded that should not be here? <a href={takeBackPath}>Take it back</a>.
          </p>
          {active.length === 0 ? (
            <EmptyState title="No active tokens." />
          ) : (
            <Table
              label="Active tokens"
              columns={columnsOf(names)}
              rows={active.slice(0, tokensMax)}
              keyOf={({ name }) => name}
            />
          )}
          <p class="soft">
            {active.length > tokensMax && `${active.length - tokensMax} more are not shown. `}
            {inactive > 0 && `${pluralize(inactive, "token")} revoked or expired.`}
          </p>
        </section>
        <CreateForm view={view} tokens={tokens} />
        <section>
          <h2>Sign-in links</h2>
          <p class="soft">
            The page of a token creates a link that signs in its owner. If a link went to the wrong person,
            end all links that were not used yet, and all sessions that were opened with one.
          </p>
          <ConfirmForm
            view={view}
            action="/settings/sign-in-links/revoke"
            verb="Revoke all links"
            of="and end their sessions"
            text="Everyone who came by a link is signed out, you too if you did."
          />
        </section>
      </>
    ),
  });
}

const timeOr = (at: string | null) => (at === null ? "never" : <Time ts={at} />);

const columnsOf = (names: FullNames): readonly Column<AccessToken>[] => [
  { label: "Name", isName: true, cell: ({ name }) => <a href={tokenPath(name)}>{name}</a> },
  { label: "Role or scopes", class: "wraps", cell: ({ role, scopes }) => role ?? scopes.join(", ") },
  { label: "Projects", class: "wraps", cell: ({ projects }) => projects?.join(", ") ?? "all" },
  {
    label: "Owner",
    cell: ({ owner, team }) => [owner && personName(owner, names), team].filter(Boolean).join(", ") || "–",
  },
  { label: "Last used", cell: ({ last_used_at }) => timeOr(last_used_at) },
  { label: "Expires", cell: ({ expires_at }) => timeOr(expires_at) },
];

export const SignInLink = ({ link: { name, url, expires_at } }: { link: CreatedSignInLink }) => (
  <NewLink url={url}>
    Send this link to {name} only: until <Time ts={expires_at} as="exact" />, it signs in the first person who
    uses it.{" "}
  </NewLink>
);

export const isActive = ({ ctx }: View, { revoked_at, expires_at }: AccessToken): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) * 1_000 > ctx.now());

/** Whether the visitor can create a sign-in link for the token of a person. */
export async function canCreateLink({ ctx, visitor }: View, { name, role }: AccessToken): Promise<boolean> {
  const row = (await listTokenRows(ctx)).find((one) => one.name === name) ?? null;
  const caller = callerOfToken(row, ctx.now());
  return !programRoles.has(role) && caller !== null && covers(visitor.caller, caller);
}

/** The form of the button that creates a sign-in link. */
export const LinkForm = ({ view, name }: { view: View; name: string }) => (
  <PostForm view={view} action={`${tokenPath(name)}/sign-in-link`} class="filters">
    {view.ctx.config.smtpUrl !== "" && (
      <label>
        Their email address, optional <input name="email" type="email" maxLength={254} autocomplete="off" />
      </label>
    )}
    <button type="submit" aria-label={`Create link that signs in ${name}`}>
      Create sign-in link
    </button>
  </PostForm>
);

/** @returns the URL of the tokens; of the sign-in, if that ended the visitor's session, the site leads there */
export async function submitLinksRevocation(view: View): Promise<string> {
  const { sessions } = await callOperation<{ sessions: number }>(view, revokeSignInLinks);
  return `/settings/tokens?revoked=${encodeURIComponent(`${pluralize(sessions, "session")} ended.`)}`;
}
