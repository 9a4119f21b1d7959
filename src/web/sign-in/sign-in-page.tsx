/** The sign-in page, with a token or with a one-time link. */

import { actionOf } from "../../core/audit/action.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { roleOf } from "../../core/auth/scopes.ts";
import { issueFormToken } from "../../core/auth/session/csrf.ts";
import { type ExpiredSession, findExpiredSession } from "../../core/auth/session/expired-session.ts";
import { lastsFromLastUse, linkSessionDays } from "../../core/auth/session/session.ts";
import { findSignInLink, linkParameter, tokenLinkHours } from "../../core/auth/session/sign-in-link.ts";
import { Problem } from "../../core/problem.ts";
import { withAuditRow } from "../../feed/audit-row.ts";
import { mailNewLink } from "../../integrations/email/sign-in-renewal.ts";
import { CsrfField } from "../layout.tsx";
import type { Page, View } from "../view.ts";

/** The path to redirect to after sign-in; anything that could leave the site (open redirect) becomes `/`. */
export const localPath = (next: string | null): string =>
  next && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.startsWith("/sign-") ? next : "/";

/** Where the form leads after sign-in, and its CSRF token with the cookie it may need. */
function formOf(view: View) {
  const { pathname, search, searchParams } = view.url;
  const next = localPath(searchParams.get("next") ?? (pathname === "/sign-in" ? "/" : pathname + search));
  const { csrf, cookie } =
    view.visitor.csrf === null ? issueFormToken(view.ctx) : { csrf: view.visitor.csrf, cookie: undefined };
  const query = `?next=${encodeURIComponent(next)}`;
  return { csrf, cookie: cookie ? { cookie } : {}, action: `/sign-in${query}`, query };
}

/** @param why a notice to show above the form: an error, unless the status is 200 */
export async function signInPage(view: View, why: string | null, status = 200): Promise<Page> {
  const { csrf, cookie, action, query } = formOf(view);
  const { expired } = view.visitor;
  const { oidc } = view.ctx.config;
  const session = await findExpiredSession(view.ctx, expired);
  const body = (
    <div class="narrow">
      <div>
        <h1>Sign in</h1>
        {!oidc && <p class="soft">Sign in with your access token.</p>}
      </div>
      {oidc && view.url.searchParams.has("left") && (
        <p class="notice good" role="status">
          You are signed out of svc. <a href="/sign-in/oidc/sign-out">Sign out of {oidc.label}, too</a>
        </p>
      )}
      {why && (
        <p class={status === 200 ? "notice good" : "notice"} role={status === 200 ? "status" : "alert"}>
          {why}
        </p>
      )}
      {expired && <ExpiredNotice session={session} csrf={csrf} />}
      {view.visitor.signedIn && (
        <p>
          You are signed in already. <a href="/">Open Today</a>
        </p>
      )}
      {oidc && (
        <p class="panel">
          <a class="button primary" href={`/sign-in/oidc${query}`}>
            Sign in with {oidc.label}
          </a>
        </p>
      )}
      <form method="post" action={action} class="stack panel">
        <CsrfField token={csrf} />
        <label>
          Access token
          <input
            name="token"
            type="password"
            autocomplete="current-password"
            required
            maxLength={512}
            placeholder="svc_…"
            autofocus={!session && !oidc}
          />
        </label>
        <button class={oidc ? undefined : "primary"} type="submit">
          {oidc ? "Sign in with a token" : "Sign in"}
        </button>
      </form>
      <p class="soft">
        On the machine that runs svc, you need no token: run <code>svc open</code>. Elsewhere, ask your admin
        for a token (<code>svc token create you --role reviewer</code>), or for a link that signs you in with
        it (<code>svc open --for you</code>).
      </p>
    </div>
  );
  return { title: "Sign in", navEntry: null, body, status, ...cookie };
}

/** The error for a link that was used, has ended, or never existed: they cannot be told apart. */
export const invalidLink =
  "This sign-in link was already used, has expired, or was revoked. " +
  "Ask your admin for a new one, or run svc open on the machine that runs svc.";

/** What a link grants: `every permission`, or `the role reviewer in the project atlas`. */
function describePermissions({ scopes, projects, ...token }: Caller): string {
  const role = token.role ?? roleOf(scopes);
  const permissions = role ? `the role ${role}` : `these permissions: ${[...scopes].join(", ")}`;
  if (projects === null) return role === "admin" ? "every permission" : permissions;
  return `${permissions}, in the project${projects.length > 1 ? "s" : ""} ${projects.join(", ")}`;
}

/**
 * The page that a sign-in link opens. Only its button signs in: mail scanners and chat previews fetch links,
 * and must not use them up.
 */
export async function signInLinkPage(view: View, secret: string): Promise<Page> {
  const found = await findSignInLink(view.ctx, secret);
  if (!found) return signInPage(view, invalidLink, 401);
  const { csrf, cookie, action } = formOf(view);
  const name = found.link.actor.replace(/^human:/, "");
  const body = (
    <div class="narrow">
      <div>
        <h1>Sign in</h1>
        <p class="soft">This link works once. It gives you {describePermissions(found.caller)}.</p>
      </div>
      <form method="post" action={action} class="stack panel">
        <CsrfField token={csrf} />
        <input type="hidden" name={linkParameter} value={secret} />
        <button class="primary" type="submit" autofocus>
          Sign in as {name}
        </button>
      </form>
      <p class="soft">
        {lastsFromLastUse(found.caller)
          ? `You stay signed in until you sign out, or have not been here for ${linkSessionDays} days.`
          : "A session lasts 12 hours, or until you sign out."}
      </p>
    </div>
  );
  return { title: "Sign in", navEntry: null, body, ...cookie };
}

/** `d…@example.com`: enough to know one's own address, too little to tell it to others at this browser. */
const maskAddress = (address: string): string => address.replace(/^(.).*@/, "$1…@");

const ExpiredNotice = ({ session, csrf }: { session: ExpiredSession | null; csrf: string }) => (
  <div class="notice" id="expired-session" role="status">
    {session ? (
      <div class="stack">
        {session.email !== null && (
          <form method="post" action="/sign-in/renew" class="stack">
            <p>Your session has expired, {session.name}.</p>
            <CsrfField token={csrf} />
            <button class="primary" type="submit">
              Send a new link to {maskAddress(session.email)}
            </button>
          </form>
        )}
        <p>
          {session.email === null
            ? `Your session has expired, ${session.name}. For a new sign-in link, ask `
            : "If you do not read that mail, ask "}
          {session.creator === null ? "the admin of this site" : <b>{session.creator}</b>}, who can run{" "}
          <code>svc open --for {session.name}</code>.
        </p>
      </div>
    ) : (
      <p>Your session has expired. Sign in again.</p>
    )}
  </div>
);

/** The same whether or not a mail was sent: it tells nothing about the tokens, or about what others did. */
const answer =
  "If your session can be renewed, a new sign-in link is on its way by mail. It works once, within " +
  `${tokenLinkHours} hours. If none arrives, ask your admin for one.`;

export async function submitRenewal(view: View): Promise<Page> {
  const { ctx, visitor } = view;
  const { expired, ...rest } = visitor;
  if (!expired?.email || !ctx.config.smtpUrl) return signInPage(view, null, 401);
  const name = expired.actor.replace(/^human:/, "");
  const action = actionOf({ ...visitor.caller, name }, "renewSignInLink");
  try {
    await mailNewLink(withAuditRow(ctx, action), expired);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    ctx.audit.recordRefusal(action, error);
  }
  return signInPage({ ...view, visitor: rest }, answer);
}
