/** One item beside the list: what it is about, large, and what to do: a verdict, a decision, or its page. */

import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import type { ReviewState } from "../../library/verdicts/review-state.ts";
import type { InboxItem } from "../../overview/inbox/schema.ts";
import { Actor } from "../actor.tsx";
import { Status } from "../assets/asset.tsx";
import { Thumb } from "../assets/tiles.tsx";
import { RejectionCard } from "../desk/review/rejection-card.tsx";
import { pluralize } from "../format.ts";
import { hasScope, PostForm } from "../layout.tsx";
import { GoneFiles } from "../memory/files.tsx";
import { Opposites } from "../memory/opposites.tsx";
import { Proposal } from "../memory/proposal.tsx";
import { taskName, taskUrl } from "../runs/links.tsx";
import { SessionPlace } from "../runs/session.tsx";
import type { View } from "../view.ts";
import type { Opened } from "./load-opened.ts";
import { NoteCrops } from "./note-crops.tsx";
import { pathOf, ReasonLine } from "./stack.tsx";

export function OpenedItem({ view, opened }: { view: View; opened: Opened | null }) {
  if (!opened) return <aside class="opened" id="today-opened" aria-label="Opened item" data-live />;
  const { item, isNamed } = opened;
  return (
    <aside
      class={isNamed ? "opened panel named" : "opened panel"}
      id="today-opened"
      aria-label="Opened item"
      data-item-id={item.id}
      data-live
    >
      <a class="opened-close" href="/">
        Close
      </a>
      <h2>
        <bdi>{item.title}</bdi>
      </h2>
      <p class="soft">
        <ReasonLine item={item} />
        <TaskLink item={item} />
      </p>
      {opened.asset ? (
        <AboutAsset view={view} opened={opened} asset={opened.asset} />
      ) : (
        <AboutWork view={view} {...opened} />
      )}
    </aside>
  );
}

function TaskLink({ item }: { item: InboxItem }) {
  const href = taskUrl(item);
  return (
    href && (
      <>
        {" · "}
        <a href={href}>{taskName(item)}</a>
      </>
    )
  );
}

type AboutWorkProps = { view: View } & Pick<Opened, "item" | "decision" | "session">;

/** What failed, or what svc tells of; a decision says what to do about it from now on. */
const AboutWork = ({ view, item, decision, session }: AboutWorkProps) => (
  <>
    {item.detail && (
      <p>
        <bdi>{item.detail}</bdi>
      </p>
    )}
    {session && <SessionPlace session={session} />}
    {decision ? (
      <>
        <Opposites view={view} decision={decision} />
        {item.reason === "files_gone" ? (
          <GoneFiles view={view} decision={decision} at="today" />
        ) : (
          <Proposal view={view} decision={decision} isOnToday />
        )}
      </>
    ) : (
      <p class="buttons">
        <a class="button primary" href={pathOf(item)}>
          {session ? "See what it did" : item.action}
        </a>
      </p>
    )}
    {item.group === "broken" && item.project && hasScope(view, "memory:write") && (
      <details>
        <summary>Record a decision</summary>
        <PostForm view={view} class="stack" action="/memory/decisions">
          <input type="hidden" name="project" value={item.project} />
          <label>
            Decision
            <textarea name="text" rows={3} maxLength={4096} required />
          </label>
          <p class="buttons">
            <button type="submit">Record</button>
            <span class="soft">The next brief of {item.project} carries it.</span>
          </p>
        </PostForm>
      </details>
    )}
  </>
);

function AboutAsset({ view, opened, asset }: { view: View; opened: Opened; asset: AssetDetail }) {
  const { item, previous, state, rejection, marks } = opened;
  const isSet = item.id.includes("-set-");
  const [before, after] = asset.status === "rejected" ? [asset, null] : [previous, asset];
  return (
    <>
      <div class={previous ? "before-after" : "before-after single"}>
        {previous && <Shown asset={previous} label={`Version ${previous.version}`} href={pathOf(item)} />}
        <Shown asset={asset} label={previous ? `Version ${asset.version}` : ""} href={pathOf(item)} />
      </div>
      {item.detail && (
        <p>
          <bdi>{item.detail}</bdi>
        </p>
      )}
      {before && <NoteCrops before={before} after={after} marks={marks} />}
      {before && rejection && <RejectionCard asset={before} rejection={rejection} view={view} />}
      {!rejection && previous?.review_note && (
        <p>
          <Status status="rejected" /> version {previous.version}
          {previous.reviewed_by && (
            <>
              {" "}
              by <Actor of={previous.reviewed_by} />
            </>
          )}
          : <bdi>“{previous.review_note}”</bdi>
        </p>
      )}
      {marks.length === 0 && <OpenMarks asset={asset} />}
      {!isSet && asset.status === "pending" && state && (
        <VerdictForm view={view} item={item} asset={asset} state={state} />
      )}
      {(isSet || asset.status !== "pending" || !canDecide(view, asset, state)) && (
        <p class="buttons opened-action">
          <a class="button primary" href={pathOf(item)}>
            {item.action}
          </a>
        </p>
      )}
    </>
  );
}

/** The image, or what the library shows of the file, as a link to the desk. */
const Shown = ({ asset, label, href }: { asset: Asset; label: string; href: string }) => (
  <figure>
    <a href={href}>
      {asset.kind === "image" && asset.url ? (
        <img src={asset.url} alt={label || asset.title} />
      ) : (
        <>
          <Thumb asset={asset} />
          <span class="visually-hidden">{label || asset.title}</span>
        </>
      )}
    </a>
    {label && <figcaption class="soft">{label}</figcaption>}
  </figure>
);

const marksShown = 3;

/** `4. [should] lower left (x 12 %, y 70 %): Name the jetty.`: the place is on the picture. */
const withoutPlace = (text: string): string => text.slice(text.indexOf(": ") + 2);

function OpenMarks({ asset: { annotations, annotations_total: total, version } }: { asset: AssetDetail }) {
  if (total === 0) return null;
  return (
    <>
      <p class="soft">
        {pluralize(total, "open annotation")}
        {version > 1 && " of all versions"}
      </p>
      <ul class="open-marks">
        {annotations
          .filter(({ parent_id }) => parent_id === null)
          .slice(0, marksShown)
          .map(({ id, weight, text }) => (
            <li key={id}>
              <strong>{weight}</strong> <bdi>{withoutPlace(text)}</bdi>
            </li>
          ))}
      </ul>
    </>
  );
}

/** A checklist is answered at the desk, and an author of a version under a policy only rejects it. */
const canDecide = (view: View, asset: AssetDetail, state: ReviewState | null): boolean =>
  hasScope(view, "assets:review") && state?.checklist === null && !(asset.approvals && state.isMaker);

interface VerdictProps {
  view: View;
  item: InboxItem;
  asset: AssetDetail;
  state: ReviewState;
}

function VerdictForm({ view, item, asset, state }: VerdictProps) {
  if (!canDecide(view, asset, state))
    return state.checklist ? <p class="soft">A checklist is answered at the review desk.</p> : null;
  return (
    <PostForm view={view} class="stack verdict" id="verdict" action={`/assets/${asset.id}/review?from=today`}>
      <input type="hidden" name="sha256" value={asset.sha256} />
      <input type="hidden" name="seen_status" value={asset.status} />
      <input type="hidden" name="seen_reviewed_at" value={asset.reviewed_at ?? ""} />
      <label>
        Note
        <textarea name="note" rows={2} maxLength={4096} placeholder="To reject, say what to change" />
      </label>
      <p class="buttons">
        <button class="primary" name="decision" value="approved" type="submit">
          Approve
        </button>
        <button class="danger" name="decision" value="rejected" type="submit">
          Reject
        </button>
        <a href={pathOf(item)}>Open the review desk</a>
      </p>
    </PostForm>
  );
}
