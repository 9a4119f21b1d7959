/** The sessions of the visitor: on which devices, since when, and how to end them. */

import { endOtherSessions, endSession } from "../../core/auth/session/operations.ts";
import type { OwnSession, OwnSessions } from "../../core/auth/session/schema.ts";
import { ConfirmForm } from "../confirm-form.tsx";
import { PostForm } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";

export const Sessions = ({ view, sessions }: { view: View } & OwnSessions) => (
  <section id="sessions">
    <h2>Sessions</h2>
    <ul class="entries panel">
      {sessions.map((session) => (
        <Entry key={session.id} view={view} session={session} />
      ))}
    </ul>
    {sessions.length > 1 && (
      <ConfirmForm
        view={view}
        action="/settings/sessions/end"
        verb="End all others"
        of="but this browser"
        text="Every other browser that is signed in as you is signed out."
      />
    )}
    <p class="soft">
      Lost a device? End its session here. If it also held your token, ask an admin to revoke or rotate it.
    </p>
  </section>
);

const Entry = ({ view, session }: { view: View; session: OwnSession }) => {
  const { id, device, opened_at, used_at, expires_at, from_link, current } = session;
  const name = device ?? "Unknown device";
  return (
    <li>
      <div>
        <strong>{name}</strong>
        <p class="soft">
          Signed in <Time ts={opened_at} />
          {from_link && " by a link"}
          {", last used "}
          {used_at === null ? "then" : <Time ts={used_at} />}
          {", ends "}
          <Time ts={expires_at} />
        </p>
      </div>
      {current ? (
        <span class="status good">This browser</span>
      ) : (
        <PostForm view={view} action={`/settings/sessions/${id}/end`}>
          <button type="submit" class="danger" aria-label={`End the session on ${name}`}>
            End
          </button>
        </PostForm>
      )}
    </li>
  );
};

/** @returns the URL of the sessions */
export async function submitSessionEnd(view: View): Promise<string> {
  await callOperation(view, endSession, { id: view.params.id });
  return "/settings?done=ended#sessions";
}

/** @returns the URL of the sessions */
export async function submitOtherSessionsEnd(view: View): Promise<string> {
  await callOperation(view, endOtherSessions);
  return "/settings?done=ended-others#sessions";
}
