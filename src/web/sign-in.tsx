/** @jsxImportSource preact */
/** Signing in with a token. */
import { issueFormToken } from "../auth/csrf.ts";
import { Csrf } from "./layout.tsx";
import type { Page, View } from "./view.ts";

/** Only a path of this site: what follows a sign-in must not lead away from it. */
export const localPath = (next: string | null): string =>
  next && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) && !next.startsWith("/sign-") ? next : "/";

/** @param why what brought somebody here, in a sentence */
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
        <p class="soft">to see what happened, what was decided and what was made.</p>
      </div>
      {why && (
        <p class="notice" role="alert">
          {why}
        </p>
      )}
      <form method="post" action={`/sign-in?next=${encodeURIComponent(next)}`} class="stack panel">
        <Csrf token={form.csrf} />
        <label>
          Token
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
        The operator mints tokens:{" "}
        <code>svc token create you --scopes feed:read,assets:read,assets:review</code>. The session ends after
        twelve hours, or when the token is revoked.
      </p>
    </div>
  );
  return { title: "Sign in", place: null, body, status, ...(form.cookie && { cookie: form.cookie }) };
}
