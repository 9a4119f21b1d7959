/** @jsxImportSource preact */
/** For a visitor whose session has expired: a button that mails a new sign-in link, and whom to ask for one. */
import type { ExpiredSession } from "../../core/auth/expired-session.ts";
import { CsrfField } from "../layout.tsx";

/** `d…@example.com`: enough to know one's own address, too little to tell it to others at this browser. */
const maskAddress = (address: string): string => address.replace(/^(.).*@/, "$1…@");

export const ExpiredNotice = ({ session, csrf }: { session: ExpiredSession | null; csrf: string }) => (
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
