/** The settings of everyone: their account, theme, shortcuts, sessions, and digest. */

import { ownerOf } from "../../core/auth/ownership.ts";
import { roleOf } from "../../core/auth/scopes.ts";
import { issueFormToken } from "../../core/auth/session/csrf.ts";
import { listSessions } from "../../core/auth/session/operations.ts";
import type { OwnSessions } from "../../core/auth/session/schema.ts";
import { fromMicros } from "../../core/lib/time.ts";
import type { EmailDigests } from "../../integrations/email/schema.ts";
import { listEmailDigests } from "../../integrations/operations/email.ts";
import { SingleKeysSwitch } from "../keys.tsx";
import { CsrfField } from "../layout.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { DigestForm, DigestList, digestResults } from "./digests.tsx";
import { type Outcome, settingsFrame } from "./sections.tsx";
import { Sessions } from "./sessions.tsx";
import { themes } from "./theme.ts";

export const settingsParameters = ["done"];

const results: Record<string, string> = {
  ended: "The session has ended.",
  "ended-others": "Your other sessions have ended.",
  ...digestResults,
};

export async function settingsPage(view: View, outcome?: Outcome): Promise<Page> {
  const { visitor, ctx } = view;
  const form = visitor.csrf === null ? issueFormToken(ctx) : { csrf: visitor.csrf, cookie: undefined };
  const result = results[view.url.searchParams.get("done") ?? ""];
  const page = settingsFrame(view, "you", {
    outcome: outcome ?? (result ? { text: result, isGood: true } : undefined),
    children: (
      <>
        {visitor.signedIn && <Account view={view} />}
        <section id="appearance">
          <h2>Appearance</h2>
          <ThemeForm csrf={form.csrf} theme={view.theme} />
        </section>
        <section id="keyboard">
          <h2>Keyboard</h2>
          <SingleKeysSwitch />
          <p class="soft">
            Without them, no key press acts by accident, as with speech input. <kbd>?</kbd> lists all
            shortcuts.
          </p>
        </section>
        {visitor.signedIn && (
          <Sessions view={view} {...(await callOperation<OwnSessions>(view, listSessions))} />
        )}
        {visitor.signedIn && <OwnDigests view={view} {...(await loadOwnDigests(view))} />}
      </>
    ),
  });
  return form.cookie === undefined ? page : { ...page, cookie: form.cookie };
}

function Account({ view: { visitor } }: { view: View }) {
  const { name, role, scopes, projects, person, team, expiresAt } = visitor.caller;
  const access = role ?? roleOf(scopes) ?? [...scopes].join(", ");
  return (
    <section id="account">
      <h2>Account</h2>
      <dl class="facts-grid panel">
        <Fact name="Signed in as" value={name?.replace(/^human:/, "") ?? ""} />
        <Fact name="Role" value={access} />
        <Fact name="Projects" value={projects?.join(", ") ?? "all"} />
        {person !== undefined && <Fact name="Person" value={person} />}
        {team !== undefined && <Fact name="Team" value={team} />}
        <Fact name="Access ends" value={expiresAt === null ? "never" : <Time ts={fromMicros(expiresAt)} />} />
      </dl>
    </section>
  );
}

const ThemeForm = ({ csrf, theme }: { csrf: string; theme: View["theme"] }) => (
  <form method="post" action="/settings/theme">
    <CsrfField token={csrf} />
    <fieldset class="themes">
      <legend>Theme, in this browser</legend>
      {["system", ...themes].map((one) => (
        <button key={one} type="submit" name="theme" value={one} aria-pressed={one === (theme ?? "system")}>
          {one[0]?.toUpperCase()}
          {one.slice(1)}
        </button>
      ))}
    </fieldset>
  </form>
);

/** Those that the visitor added; an admin sees all on the page of the section. */
async function loadOwnDigests(view: View): Promise<EmailDigests> {
  const { digests } = await callOperation<EmailDigests>(view, listEmailDigests);
  const own = ownerOf(view.visitor.caller);
  return { digests: digests.filter(({ owner }) => owner === own) };
}

const OwnDigests = ({ view, digests }: { view: View } & EmailDigests) => (
  <section id="digest">
    <h2>Email digest</h2>
    {!view.ctx.config.smtpUrl && digests.length === 0 ? (
      <p class="soft">This deployment sends no email.</p>
    ) : (
      <>
        <DigestList view={view} digests={digests} back="/settings" />
        <DigestForm view={view} action="/settings/digests" />
      </>
    )}
  </section>
);
