/** @jsxImportSource preact */
/** The tokens of the database, without their secrets. */
import { callerOfToken } from "../../core/auth/authentication.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { covers } from "../../core/auth/permissions.ts";
import { type Role, roleOf } from "../../core/auth/scopes.ts";
import type { Visitor } from "../../core/auth/session.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import type { TokenRow } from "../../core/rows.ts";
import { pluralize } from "../format.ts";
import { CsrfField, EmptyState } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { takeBackPath } from "../removals/take-back-page.tsx";
import { Time } from "../time.tsx";
import { Code } from "./code.tsx";
import { offboardPath } from "./offboard.tsx";

/** Roles for programs, which need no session on the website. */
const programRoles: ReadonlySet<Role | null> = new Set<Role | null>(["telemetry", "ci", "agent"]);

/** `svc token list` shows all. */
const tokensMax = 100;

interface TokensProps {
  tokens: TokenRow[];
  /** This deployment sends mail. */
  hasMail: boolean;
  now: Micros;
  visitor: Visitor;
}

export function Tokens({ tokens, hasMail, now, visitor }: TokensProps) {
  const active = tokens.filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at ?? now + 1) > now,
  );
  const inactive = tokens.length - active.length;
  return (
    <section>
      <h2>Tokens</h2>
      <p class="soft">
        Someone left, or a token leaked? <a href={offboardPath}>See what they have, and end it</a>. Something
        was recorded that should not be here? <a href={takeBackPath}>Take it back</a>.
      </p>
      {active.length === 0 ? (
        <EmptyState title="No active tokens." />
      ) : (
        <Table
          label="Active tokens"
          class="tokens"
          columns={columnsOf({ hasMail, now, visitor })}
          rows={active.slice(0, tokensMax)}
          keyOf={({ name }) => name}
        />
      )}
      <p class="soft">
        {active.length > tokensMax && `${active.length - tokensMax} more are not shown. `}
        {hasMail &&
          "With an email address, the sign-in page can mail a new link once a session has expired. "}
        {inactive > 0 && `${pluralize(inactive, "token")} revoked or expired. `}
        Tokens are created and revoked on the machine that holds the database:
      </p>
      <Code
        text={
          "svc token create codex --role agent\nsvc token create mara --role reviewer\nsvc token revoke codex"
        }
      />
    </section>
  );
}

/** Whether the visitor can create a sign-in link for the token of a person. */
function hasLink(token: TokenRow, role: Role | null, now: Micros, visitor: Caller): boolean {
  const caller = callerOfToken(token, now);
  return !programRoles.has(role) && caller !== null && covers(visitor, caller);
}

const roleIn = ({ role, scopes }: TokenRow): Role | null => role ?? roleOf(scopes);

const columnsOf = (site: Omit<TokensProps, "tokens">): Column<TokenRow>[] => [
  { label: "Name", isName: true, cell: ({ name }) => name },
  {
    label: "Sign-in link",
    cell: (token) =>
      hasLink(token, roleIn(token), site.now, site.visitor.caller) && (
        <LinkForm {...site} name={token.name} />
      ),
  },
  {
    label: "Role or scopes",
    class: "wraps",
    cell: (token) => roleIn(token) ?? token.scopes.join(", "),
  },
  { label: "Projects", class: "wraps", cell: ({ projects }) => projects?.join(", ") ?? "all" },
  { label: "Last used", cell: ({ last_used_at }) => timeOr(last_used_at) },
  { label: "Expires", cell: ({ expires_at }) => timeOr(expires_at) },
];

const timeOr = (at: number | null) => (at === null ? "never" : <Time ts={fromMicros(at)} />);

const LinkForm = ({ name, hasMail, visitor }: Omit<TokensProps, "tokens"> & { name: string }) => (
  <form method="post" action={`/settings/tokens/${name}/sign-in-link`}>
    <CsrfField token={visitor.csrf} />
    {hasMail && (
      <input
        name="email"
        type="email"
        size={16}
        maxLength={254}
        autocomplete="off"
        placeholder="Email (optional)"
        aria-label={`Email address of ${name} (optional)`}
      />
    )}{" "}
    <button type="submit" aria-label={`Create link that signs in ${name}`}>
      Create link
    </button>
  </form>
);
