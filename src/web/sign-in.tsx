/** @jsxImportSource preact */
/** The sign- in page. */
import { issueFormToken } from "../auth/csrf.ts";
import { CsrfField } from "./layout.tsx";
import type { Page, View } from "./view.ts";

/** The path to redirect to after sign-in; anything that could leave the site (open redirect) becomes `/`. */
export const localPath = (next: string | null): string =>
  next && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.startsWith("/sign-") ? next : "/";

/** @param why an error to show above the form */
export function signInPage(view: View, why: string | null, status = 200): Page {
  const next = localPath(
    view.url.searchParams.get("next") ??
      (view.url.pathname === "/sign-in" ? "/" : view.url.pathname + view.url.search),
  );
  const form =
    view.visitor.csrf === null ? issueFormToken(view.ctx) : { csrf: view.visitor.csrf, cookie: undefined };
  const body = (
    <div class="narrow">
      <div>
        <h1>Sign in</h1>
        <p class="soft">Sign in with your access token.</p>
      </div>
      {why && (
        <p class="notice" role="alert">
          {why}
        </p>
      )}
      <form method="post" action={`/sign-in?next=${encodeURIComponent(next)}`} class="stack panel">
        <CsrfField token={form.csrf} />
        <label>
          Access token
          <input
            name="token"
            type="password"
            autocomplete="current-password"
            required
            maxLength={512}
            placeholder="svc_…"
          />
        </label>
        <button class="primary" type="submit">
          Sign in
        </button>
      </form>
      <p class="soft">
        Ask your admin for a token, or run{" "}
        <code>svc token create you --scopes feed:read,assets:read,assets:review</code>. A session lasts 12
        hours, or until the token is revoked.
      </p>
    </div>
  );
  return { title: "Sign in", navEntry: null, body, status, ...(form.cookie && { cookie: form.cookie }) };
}
