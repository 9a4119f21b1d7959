/** @jsxImportSource preact */
/** For a visitor whose session has expired: whom to ask for a new sign-in link. */
import type { ExpiredSession } from "../../auth/expired-session.ts";

export const ExpiredNotice = ({ session }: { session: ExpiredSession | null }) => (
  <div class="notice" id="expired-session" role="status">
    {session ? (
      <p>
        Your session has expired, {session.name}. For a new sign-in link, ask{" "}
        {session.creator === null ? "the admin of this site" : <b>{session.creator}</b>}, who can run{" "}
        <code>svc open --for {session.name}</code>.
      </p>
    ) : (
      <p>Your session has expired. Sign in again.</p>
    )}
  </div>
);
