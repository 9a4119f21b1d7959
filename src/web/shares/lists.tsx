/** Lists of share links: those of an asset on the review desk, and those of projects on a page. */

import { actorOf } from "../../core/auth/actor.ts";
import { isAdmin } from "../../core/auth/permissions.ts";
import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import { listShares } from "../../library/operations/shares.ts";
import { subjectName, subjectPath } from "../../library/shares/announce.ts";
import { rightsText, type Share, type ShareList } from "../../library/shares/schema.ts";
import { loadSharedAssets } from "../../library/shares/subject.ts";
import { Actor } from "../actor.tsx";
import { ConfirmForm } from "../confirm-form.tsx";
import { EmptyState, hasScope, PostForm } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { CreateShareForm } from "./create-form.tsx";

const linksMax = 10;

/** Null for visitors who may not see or create links. */
export async function loadShares(view: View, { id }: Pick<AssetDetail, "id">): Promise<ShareList | null> {
  if (!hasScope(view, "assets:review") || !view.visitor.signedIn) return null;
  return callOperation<ShareList>(view, listShares, { asset: id, limit: linksMax });
}

export const shareUrl = ({ id }: Pick<Share, "id">): string => `/shares/${id}`;

/** Its creator, by whichever way they came, and admins. */
export function mayRenew({ visitor: { caller } }: View, { created_by }: Share): boolean {
  const nameOf = (actor: string) => actor.replace(/^[a-z]+:/, "");
  return isAdmin(caller) || nameOf(created_by) === nameOf(actorOf(caller, undefined));
}

export function ShareSection({ view, id, list }: { view: View; id: string; list: ShareList | null }) {
  if (list === null) return null;
  return (
    <section>
      <h2>Share</h2>
      {list.shares.length > 0 && <ShareLines view={view} shares={list.shares} />}
      {list.next_cursor !== null && (
        <p>
          <a href={`/shares?asset=${id}`}>All links</a>
        </p>
      )}
      <details>
        <summary>Create a link for someone without a token</summary>
        <CreateShareForm view={view} subject={{ id }} />
      </details>
    </section>
  );
}

export const shareListParameters = ["project", "asset", "cursor"] as const;

/** Query parameter of the set that the form of the page is about. */
export const setParameter = "set";

export async function sharesPage(view: View): Promise<Page> {
  const filters = filtersOf(view.url, shareListParameters);
  const { shares, next_cursor } = await callOperation<ShareList>(view, listShares, filters);
  const isFiltered = filters.project !== undefined || filters.asset !== undefined;
  const body = (
    <>
      <div class="head">
        <h1>Share links{filters.project && ` of ${filters.project}`}</h1>
        {isFiltered && <a href="/shares">Links of all projects</a>}
      </div>
      {filters.project && <NewProjectLink view={view} project={filters.project} />}
      {shares.length === 0 ? (
        <EmptyState title="No share links.">
          <p class="soft">
            Create one on the page of an asset or a set, under Share, or on that of a project for what waits
            there.
          </p>
        </EmptyState>
      ) : (
        <ShareLines view={view} shares={shares} assets={await loadSharedAssets(view.ctx, shares)} />
      )}
      {next_cursor !== null && (
        <p class="pager">
          <a href={urlWith(view.url, { cursor: next_cursor })}>Older</a>
        </p>
      )}
    </>
  );
  return { title: "Share links", navEntry: "assets", body };
}

/** The form for a link to the review queue of the project, or to the set that the URL names. */
function NewProjectLink({ view, project }: { view: View; project: string }) {
  const set = view.url.searchParams.get(setParameter);
  return (
    <details class="panel new-link" open={set !== null}>
      <summary>
        {set ? (
          <>
            Create a link to the set <bdi>{set}</bdi>
          </>
        ) : (
          "Create a link to the review queue"
        )}
      </summary>
      <CreateShareForm view={view} subject={{ project, set: set || null }} />
    </details>
  );
}

/** Where a link to the review queue of a project, or to one of its sets, is created. */
export const newLinkUrl = (project: string, set = ""): string =>
  `/shares?${new URLSearchParams({ project, [setParameter]: set })}`;

interface ShareLinesProps {
  view: View;
  shares: readonly Share[];
  /** In a list of several projects: the shared assets by their ids. Each line then says what it shows. */
  assets?: ReadonlyMap<string, Asset>;
}

const ShareLines = ({ view, shares, assets }: ShareLinesProps) => (
  <ul class="shares">
    {shares.map((share) => (
      <li key={share.id}>
        <p>
          <a href={shareUrl(share)}>
            <bdi>{share.recipient}</bdi>
          </a>{" "}
          {assets && <SharedSubject share={share} asset={assets.get(share.asset_id ?? "")} />}
          <span class={assets ? undefined : "soft"}>
            {rightsText[share.rights]}; <ShareStateText share={share} />
          </span>
          {assets && (
            <>
              <br />
              <span class="soft">
                Created <Time ts={share.created_at} /> by <Actor of={share.created_by} />
              </span>
            </>
          )}
        </p>
        {share.state === "active" && <RevokeForm view={view} share={share} />}
        {share.state === "expired" && mayRenew(view, share) && (
          <PostForm view={view} action={`${shareUrl(share)}/renew`}>
            <button type="submit">
              Renew<span class="visually-hidden"> the link for {share.recipient}</span>
            </button>
          </PostForm>
        )}
      </li>
    ))}
  </ul>
);

/** What a link shows: its project, and the asset, set or queue. */
const SharedSubject = ({ share, asset }: { share: Share; asset: Asset | undefined }) => (
  <>
    <span class="chip">{share.project}</span>{" "}
    <a href={subjectPath({ ...share, asset: share.asset_id })}>
      {asset ? (
        <>
          <bdi>{asset.title}</bdi>,{" "}
          {share.follows === "latest" ? "newest version" : `version ${asset.version}`}
        </>
      ) : (
        subjectName({ ...share, asset: share.asset_id })
      )}
    </a>
    <br />
  </>
);

const ShareStateText = ({ share }: { share: Share }) => {
  switch (share.state) {
    case "active":
      return (
        <>
          until <Time ts={share.expires_at} as="exact" />
          {share.views > 0 && `, opened ${share.views} ${share.views === 1 ? "time" : "times"}`}
        </>
      );
    case "revoked":
      return <span class="bad">revoked</span>;
    case "expired":
      return <span class="quiet">expired</span>;
    case "suspended":
      return <span class="warn">suspended</span>;
  }
};

export const RevokeForm = ({ view, share }: { view: View; share: Share }) => (
  <ConfirmForm
    view={view}
    action={`${shareUrl(share)}/revoke`}
    verb="Revoke"
    of={`the link for ${share.recipient}`}
    text="It stops working for everyone who has it, and cannot be restored."
  />
);
