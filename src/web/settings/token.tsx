/** The page of a token: what it may do, what was done with it, and how to end it. */
import type { CreatedSignInLink } from "../../core/auth/session/sign-in-link-schema.ts";
import type { AccessToken, ActivityLine, TokenActivity, TokenList } from "../../core/auth/token-requests.ts";
import { dayMicros, fromMicros, parseTime } from "../../core/lib/time.ts";
import { notFound } from "../../core/problem.ts";
import { getTokenActivity, listTokens } from "../../feed/operations/tokens.ts";
import { ConfirmForm } from "../confirm-form.tsx";
import { formatCount } from "../format.ts";
import { EmptyState, PostForm } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { Code } from "./code.tsx";
import { type Outcome, requireAdminVisitor, settingsFrame } from "./sections.tsx";
import { canCreateLink, isActive, LinkForm, SignInLink, tokenPath } from "./tokens.tsx";

export const tokenParameters = ["days", "since", "done"];

const results: Record<string, string> = {
  revoked: "Revoked. Its sessions and sign-in links have ended with it.",
  saved: "Saved.",
};

/** @throws {Problem} 401 or 403 unless the visitor is an admin, 404 without such a token */
export async function tokenPage(view: View, outcome?: Outcome, link?: CreatedSignInLink): Promise<Page> {
  requireAdminVisitor(view);
  const { name = "" } = view.params;
  const { tokens } = await callOperation<TokenList>(view, listTokens);
  const token = tokens.find((one) => one.name === name);
  if (!token) throw notFound(`No token "${name}".`);
  const done = results[view.url.searchParams.get("done") ?? ""];
  const [hasLink, activity] = await Promise.all([canCreateLink(view, token), loadActivity(view, name)]);
  return settingsFrame(view, "tokens", {
    title: name,
    beside: <TokenStatus view={view} token={token} />,
    outcome: outcome ?? (done ? { text: done, isGood: true } : undefined),
    children: (
      <>
        {link && <SignInLink link={link} />}
        <section>
          <Facts token={token} />
          {isActive(view, token) && (
            <div class="row-forms">
              {hasLink && <LinkForm view={view} name={name} />}
              <ConfirmForm
                view={view}
                action={`${tokenPath(name)}/revoke`}
                verb="Revoke"
                of={`the token ${name}`}
                text="It stops working at once, with its sessions and sign-in links. There is no undo."
              />
            </div>
          )}
        </section>
        <Activity path={tokenPath(name)} name={name} {...activity} />
        {token.revoked_at === null && <ChangeForms view={view} token={token} />}
        {isActive(view, token) && (
          <section>
            <h2>Replace its secret</h2>
            <p class="soft">
              On the machine that holds the database, as this prints the new secret; the old one works for an
              hour more:
            </p>
            <Code text={`svc token rotate ${name} --grace 1h > token.txt`} />
          </section>
        )}
      </>
    ),
  });
}

function TokenStatus({ view, token }: { view: View; token: AccessToken }) {
  const word = token.revoked_at !== null ? "revoked" : isActive(view, token) ? "active" : "expired";
  return <span class={`status ${word === "active" ? "good" : "warn"}`}>{word}</span>;
}

const Facts = ({ token }: { token: AccessToken }) => (
  <dl class="facts-grid panel">
    <Fact name="Role" value={token.role ?? "none"} />
    <Fact name="Scopes" value={token.scopes.join(", ")} />
    <Fact name="Projects" value={token.projects?.join(", ") ?? "all"} />
    <Fact name="Created" value={<Time ts={token.created_at} />} />
    <Fact name="Last used" value={token.last_used_at === null ? "never" : <Time ts={token.last_used_at} />} />
    <Fact name="Expires" value={token.expires_at === null ? "never" : <Time ts={token.expires_at} />} />
  </dl>
);

/** The forms that change a token. */
const ChangeForms = ({ view, token }: { view: View; token: AccessToken }) => (
  <section>
    <h2>Whose work it does</h2>
    <PostForm view={view} action={`${tokenPath(token.name)}/owner`} class="filters">
      <label>
        Owner <input name="owner" value={token.owner ?? ""} maxLength={63} placeholder="no person" />
      </label>
      <label>
        Team <input name="team" value={token.team ?? ""} maxLength={63} placeholder="that of the owner" />
      </label>
      <button type="submit">Save owner</button>
    </PostForm>
    {token.scopes.includes("assets:review") && (
      <PostForm view={view} action={`${tokenPath(token.name)}/review-role`} class="filters">
        <label>
          Its reviews count for{" "}
          <input
            name="role"
            value={token.review_role ?? ""}
            maxLength={32}
            placeholder={token.role ?? "no role"}
          />
        </label>
        <button type="submit">Save review role</button>
      </PostForm>
    )}
  </section>
);

const periods = { "1": "24 hours", "7": "7 days", "30": "30 days" };
const defaultDays = "7";

interface ShownActivity {
  /** The tab; undefined for an instant of one's own. */
  days: string | undefined;
  since: string;
  lines: readonly ActivityLine[];
}

async function loadActivity(view: View, name: string): Promise<ShownActivity> {
  const query = view.url.searchParams;
  const instant = instantOf(query.get("since"));
  const given = query.get("days") ?? "";
  const days = instant === null ? (given in periods ? given : defaultDays) : undefined;
  const since = instant ?? fromMicros(view.ctx.now() - Number(days) * dayMicros);
  const { activity } = await callOperation<TokenActivity>(view, getTokenActivity, { name, since });
  return { days, since, lines: activity };
}

/** A time of day of a browser's field is in UTC; null for anything else than a time. */
function instantOf(text: string | null): string | null {
  const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text ?? "") ? `${text}:00Z` : text;
  return instant !== null && parseTime(instant) !== null ? instant : null;
}

const columns: readonly Column<ActivityLine>[] = [
  { label: "What", isName: true, cell: ({ what }) => what },
  { label: "From", cell: ({ from }) => (from === "audit" ? "request" : "event") },
  { label: "Times", cell: ({ count }) => formatCount(count) },
  { label: "First", cell: ({ first }) => <Time ts={first} /> },
  { label: "Last", cell: ({ last }) => <Time ts={last} /> },
];

interface ActivityProps extends ShownActivity {
  /** The path of the token. */
  path: string;
  name: string;
}

const Activity = ({ path, name, days, since, lines }: ActivityProps) => (
  <section id="activity">
    <div class="head">
      <h2>What was done with it</h2>
      <nav class="tabs" aria-label="Since">
        {Object.entries(periods).map(([one, label]) => (
          <a key={one} href={`${path}?days=${one}#activity`} aria-current={one === days ? "true" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <form method="get" action={`${path}#activity`} class="inline">
        <label>
          Since, UTC{" "}
          <input
            type="datetime-local"
            name="since"
            value={days === undefined ? since.slice(0, 16) : ""}
            required
          />
        </label>
        <button type="submit">Show</button>
      </form>
    </div>
    {lines.length === 0 ? (
      <EmptyState title="Nothing since then.">
        <p>Requests that only read are not recorded.</p>
      </EmptyState>
    ) : (
      <Table
        label={`What was done with ${name}`}
        columns={columns}
        rows={lines}
        keyOf={({ from, what }) => from + what}
      />
    )}
    <p class="soft">
      <a href={`/settings/audit?token=${name}`}>Each request, in the audit log</a>
    </p>
  </section>
);
