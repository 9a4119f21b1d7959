/** @jsxImportSource preact */
/** All share links of the visitor's projects, of one project, or of one asset. */
import { listShares } from "../../library/operations/shares.ts";
import type { Share, ShareList } from "../../library/shares/schema.ts";
import { Actor } from "../actor.tsx";
import { EmptyState } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, type Page, urlWith, type View } from "../view.ts";
import { rightsLabels } from "./create-form.tsx";
import { RevokeForm, ShareStateText, shareUrl } from "./section.tsx";

export const shareListParameters = ["project", "asset", "cursor"] as const;

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
      {shares.length === 0 ? (
        <EmptyState title="No share links.">
          <p class="soft">Create one on the page of an asset, under Share.</p>
        </EmptyState>
      ) : (
        <ul class="shares">
          {shares.map((share) => (
            <Line key={share.id} view={view} share={share} />
          ))}
        </ul>
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

const Line = ({ view, share }: { view: View; share: Share }) => (
  <li>
    <p>
      <a href={shareUrl(share)}>
        <bdi>{share.recipient}</bdi>
      </a>{" "}
      <span class="chip">{share.project}</span> {rightsLabels[share.rights].toLowerCase()};{" "}
      <ShareStateText share={share} />
      <br />
      <span class="soft">
        Created <Time ts={share.created_at} /> by <Actor of={share.created_by} />
      </span>
    </p>
    {share.state === "active" && <RevokeForm view={view} share={share} />}
  </li>
);
