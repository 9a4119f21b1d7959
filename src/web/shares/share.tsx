/** One share link: what it allows, its log, and, right after it was created, its URL. */

import { dayMicros, fromMicros } from "../../core/lib/time.ts";
import { getShare, getShareLog } from "../../library/operations/shares.ts";
import { subjectName, subjectPath } from "../../library/shares/announce.ts";
import {
  type CreatedShare,
  type NameSource,
  recipientBytesMax,
  rightsText,
  type Share,
  type ShareLog,
  shareLogDays,
} from "../../library/shares/schema.ts";
import { Actor } from "../actor.tsx";
import { formatCount } from "../format.ts";
import { PostForm } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import { NewLink } from "../settings/code.tsx";
import { Time } from "../time.tsx";
import { Fact } from "../usage/usage.tsx";
import { callOperation, type Page, urlWith, type View } from "../view.ts";
import { annotationsLabels, followsLabels, lifetimeDefault, lifetimesOf } from "./create-form.tsx";
import { mayRenew, RevokeForm, shareUrl } from "./lists.tsx";

const subjectLabels = { asset: "Asset", set: "Set", queue: "Review queue" };

interface SharePageOptions {
  /** The link, if it was just created. */
  created?: CreatedShare;
  /** Why a change was refused. */
  why?: string;
}

export async function sharePage(view: View, { created, why }: SharePageOptions = {}): Promise<Page> {
  const id = view.params.id ?? "";
  const cursor = view.url.searchParams.get("cursor");
  const [share, log] = await Promise.all([
    callOperation<Share>(view, getShare, { id }),
    callOperation<ShareLog>(view, getShareLog, { id, cursor }),
  ]);
  const body = (
    <>
      <div class="head">
        <p class="crumbs">
          <a href="/shares">Share links</a> /{" "}
          <a href={subjectPath({ ...share, asset: share.asset_id })}>{subjectLabels[share.subject]}</a>
        </p>
        <h1>
          Link for <bdi>{share.recipient}</bdi>
        </h1>
      </div>
      <Notice text={why} />
      <div class="settings">
        {created && <CreatedNotice share={created} />}
        <Facts share={share} />
        {share.state !== "revoked" && (
          <section>
            <h2>Change</h2>
            {mayRenew(view, share) && <RenewForm view={view} share={share} />}
            {share.state === "active" && <ChangeForm view={view} share={share} />}
            <RevokeForm view={view} share={share} />
          </section>
        )}
        <Log view={view} log={log} isTyped={share.name_source === "typed"} />
      </div>
    </>
  );
  return { title: `Link for ${share.recipient}`, navEntry: "assets", body, islands: ["copy.js"] };
}

/** The URL of a link that was just created, or that it was mailed. */
export const CreatedNotice = ({ share: { url, mail_problem } }: { share: CreatedShare }) =>
  url === null ? (
    <p class="notice good" role="status">
      The mail server took the mail with this link. It is shown to no one else.
    </p>
  ) : (
    <>
      {mail_problem && (
        <p class="notice" role="alert">
          Not mailed: {mail_problem} Send the link yourself.
        </p>
      )}
      <NewLink url={url} />
    </>
  );

const nameLabels: Record<NameSource, string> = {
  typed: "they type one, not verified",
  recipient: "the recipient's, not verified",
  mailed: "the recipient's, link mailed",
};

const Facts = ({ share }: { share: Share }) => (
  <section>
    <h2>What it allows</h2>
    <dl class="facts-grid panel">
      <Fact name="State" value={share.state} isBad={share.state !== "active"} />
      <Fact name="Opened" value={formatCount(share.views)} />
      <Fact name="They can" value={rightsText[share.rights]} />
      <Fact name="Annotations" value={annotationsLabels[share.annotations]} />
      <Fact
        name="They see"
        value={
          share.subject === "asset" ? followsLabels[share.follows] : subjectName({ ...share, asset: null })
        }
      />
      <Fact name="Name" value={nameLabels[share.name_source]} />
      <Fact name="Role" value={share.role ?? "none"} />
      <Fact name="Passphrase" value={share.has_passphrase ? "yes" : "no"} />
      <Fact name="Downloads" value={share.allow_download ? "on" : "off"} />
      <Fact name="Expires" value={<Time ts={share.expires_at} />} />
      <Fact
        name="Created"
        value={
          <>
            <Time ts={share.created_at} /> by <Actor of={share.created_by} />
          </>
        }
      />
      {share.revoked_at && (
        <Fact
          name="Revoked"
          value={
            <>
              <Time ts={share.revoked_at} /> by <Actor of={share.revoked_by} />
            </>
          }
        />
      )}
    </dl>
    {share.state === "suspended" && (
      <p class="soft">
        The token of its creator was revoked, has expired, or no longer has the permission. Create another
        link.
      </p>
    )}
  </section>
);

/** The choices of a later expiry, the usual one first. */
function RenewForm({ view, share }: { view: View; share: Share }) {
  const now = view.ctx.now();
  const after = ([days]: [string, string]) => fromMicros(now + Number(days) * dayMicros) > share.expires_at;
  const choices = lifetimesOf(view.ctx.config).filter(after);
  const chosen = choices.find(([days]) => Number(days) === lifetimeDefault)?.[0];
  if (choices.length === 0) return null;
  return (
    <PostForm view={view} action={`${shareUrl(share)}/renew`} class="filters">
      <label>
        Renew for{" "}
        <select name="days">
          {choices.map(([days, label]) => (
            <option key={days} value={days} selected={days === chosen}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Renew</button>
    </PostForm>
  );
}

/** The choices for an earlier expiry, by their days. */
const sooner = { 0: "Now", 1: "In 1 day", 7: "In 7 days", 14: "In 14 days", 30: "In 30 days" };

function ChangeForm({ view, share }: { view: View; share: Share }) {
  const now = view.ctx.now();
  const choices = Object.entries(sooner).filter(
    ([days]) => fromMicros(now + Number(days) * dayMicros) < share.expires_at,
  );
  return (
    <PostForm view={view} action={shareUrl(share)} class="filters">
      <label>
        For whom <input name="recipient" required maxLength={recipientBytesMax} value={share.recipient} />
      </label>
      <label>
        Expires{" "}
        <select name="days">
          <option value="">Unchanged</option>
          {choices.map(([days, label]) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Save</button>
    </PostForm>
  );
}

interface LogProps {
  view: View;
  log: ShareLog;
  /** Whether people type their names. */
  isTyped: boolean;
}

const Log = ({ view, log: { entries, next_cursor }, isTyped }: LogProps) => (
  <section>
    <h2>Log</h2>
    <p class="soft">
      The last {shareLogDays} days.{isTyped && " Names are as they were typed, not verified."}
    </p>
    {entries.length === 0 ? (
      <p>Not opened yet.</p>
    ) : (
      <ul class="deliveries">
        {entries.map((entry) => (
          <li key={`${entry.at} ${entry.action}`}>
            <Time ts={entry.at} /> <strong>{entry.action}</strong>
            {entry.count > 1 && ` ${entry.count} times`}
            {entry.asset_id !== null && (
              <>
                {" "}
                <a href={`/assets/${entry.asset_id}`}>an asset</a>
              </>
            )}
            {entry.name !== null && (
              <>
                {" "}
                by <bdi>{entry.name}</bdi>
              </>
            )}{" "}
            <span class="soft">from {entry.network}</span>
          </li>
        ))}
      </ul>
    )}
    {next_cursor !== null && (
      <p class="pager">
        <a href={urlWith(view.url, { cursor: next_cursor })}>Older</a>
      </p>
    )}
  </section>
);
