/** Where an agent that asks for an answer is, and the command that returns to its session. */
import { loadSession, type RunSession } from "../../overview/runs/session.ts";
import { Code } from "../settings/code.tsx";
import { readFor, type View } from "../view.ts";

/** @param url of the page of a run */
export function loadSessionAt(view: View, url: URL): Promise<RunSession> {
  const id = decodeURIComponent(url.pathname.slice("/runs/".length));
  const project = url.searchParams.get("project");
  const path = { id, ...(project !== null && { project }) };
  return readFor(view, loadSession(view.ctx, path, view.visitor.caller));
}

export const SessionPlace = ({ session }: { session: RunSession }) => (
  <section class="session-place" aria-label="Where to answer">
    <p>
      Answer in its session: <strong>{session.agent}</strong>
      {session.person && (
        <>
          {" "}
          of <bdi>{session.person}</bdi>
        </>
      )}
      {session.repo && (
        <>
          , in a clone of <bdi>{session.repo}</bdi>
        </>
      )}
      {session.branch && (
        <>
          {" "}
          on the branch <code>{session.branch}</code>
        </>
      )}
      .
    </p>
    {session.command === null ? (
      <p class="soft">
        Session <code>{session.id}</code>
      </p>
    ) : (
      <>
        <p class="soft">If its terminal is closed, run this in that folder:</p>
        <Code text={session.command} />
      </>
    )}
    <p class="soft">svc does not know which machine and folder that is.</p>
  </section>
);
