/** @jsxImportSource preact */
/** The share links of an asset, on the review desk. */

import type { AssetDetail } from "../../library/assets/schema.ts";
import { listShares } from "../../library/operations/shares.ts";
import type { Share, ShareList } from "../../library/shares/schema.ts";
import { CsrfField, hasScope } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";
import { CreateShareForm, rightsLabels } from "./create-form.tsx";

const linksMax = 10;

/** Null for visitors who may not see or create links. */
export async function loadShares(view: View, { id }: Pick<AssetDetail, "id">): Promise<ShareList | null> {
  if (!hasScope(view, "assets:review") || !view.visitor.signedIn) return null;
  return callOperation<ShareList>(view, listShares, { asset: id, limit: linksMax });
}

export const shareUrl = ({ id }: Pick<Share, "id">): string => `/shares/${id}`;

export function ShareSection({ view, id, list }: { view: View; id: string; list: ShareList | null }) {
  if (list === null) return null;
  return (
    <section>
      <h2>Share</h2>
      {list.shares.length > 0 && (
        <ul class="shares">
          {list.shares.map((share) => (
            <ShareLine key={share.id} view={view} share={share} />
          ))}
        </ul>
      )}
      {list.next_cursor !== null && (
        <p>
          <a href={`/shares?asset=${id}`}>All links</a>
        </p>
      )}
      <details>
        <summary>Create a link for someone without a token</summary>
        <CreateShareForm view={view} id={id} />
      </details>
    </section>
  );
}

const ShareLine = ({ view, share }: { view: View; share: Share }) => (
  <li>
    <p>
      <a href={shareUrl(share)}>
        <bdi>{share.recipient}</bdi>
      </a>{" "}
      <span class="soft">
        {rightsLabels[share.rights].toLowerCase()}; <ShareStateText share={share} />
      </span>
    </p>
    {share.state === "active" && <RevokeForm view={view} share={share} />}
  </li>
);

export const ShareStateText = ({ share }: { share: Share }) => {
  switch (share.state) {
    case "active":
      return (
        <>
          until <Time ts={share.expires_at} />
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
  <form method="post" action={`${shareUrl(share)}/revoke`}>
    <CsrfField token={view.visitor.csrf} />
    <button type="submit" class="plain" aria-label={`Revoke the link for ${share.recipient}`}>
      Revoke
    </button>
  </form>
);
