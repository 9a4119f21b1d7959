/** The review queue below the file: the assets around the current one, as small pictures that lead to them. */

import type { VNode } from "preact";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { type Micros, toMicros } from "../../core/lib/time.ts";
import type { Approvals } from "../../library/verdicts/schema.ts";
import { waitingText } from "../../library/verdicts/text.ts";
import { deskUrl, earlierText, SmallThumb } from "../assets/asset.tsx";
import { filterQuery } from "../assets/filters.tsx";
import { Icon } from "../icons/icons.tsx";
import type { View } from "../view.ts";
import type { QueuedAsset, QueuePosition } from "./queue.ts";
import { spanOf } from "./review/review-request.tsx";

interface FilmstripProps {
  queue: QueuePosition;
  view: View;
  /** The approvals of the current asset. */
  approvals: Approvals | null;
}

export function Filmstrip({ queue, view: { url, ctx }, approvals }: FilmstripProps) {
  const { count, hasMore, at, ofVisitor, repeats, previous, next, around, current } = queue;
  const all = `${count}${hasMore ? "+" : ""}`;
  return (
    <nav class="queue" aria-label="Queue">
      {previous && (
        <a class="button" id="previous" href={deskUrl(previous, url)} rel="prev" title="Previous (K)">
          <Icon name="back" /> <span class="visually-hidden">Previous</span>
        </a>
      )}
      {around.length > 1 && (
        <ol class="frames-of-queue" tabIndex={-1}>
          {around.map((asset) => (
            <Frame
              key={asset.id}
              asset={asset}
              picture={<SmallThumb asset={asset} />}
              href={deskUrl(asset, url)}
              isCurrent={asset.id === current}
              state={stateOf(asset, ctx.now())}
            />
          ))}
        </ol>
      )}
      {next && (
        <a class="button" id="next" href={deskUrl(next, url)} rel="next" title="Next (J)">
          <span class="visually-hidden">Next</span> <Icon name="forward" />
        </a>
      )}
      <a class="soft" href={`/assets${filterQuery(url, { status: "pending" })}`}>
        {count === 0 ? "No pending assets" : at < 0 ? `${all} pending` : `${at + 1} of ${all} pending`}
        {ofVisitor > 0 && `, ${ofVisitor} asked of you`}
        {repeats > 0 && `, ${repeats} rejected before`}
        {approvals && approvals.have > 0 && approvals.missing.length > 0 && `, ${waitingText(approvals)}`}
      </a>
    </nav>
  );
}

interface FrameProps {
  asset: Pick<QueuedAsset, "id" | "title">;
  picture: VNode;
  href: string;
  isCurrent: boolean;
  state: { short: string; text: string; tone: string } | null;
}

export function Frame({ asset, picture, href, isCurrent, state }: FrameProps) {
  return (
    <li data-id={asset.id}>
      <a
        href={href}
        data-desk
        aria-current={isCurrent ? "true" : undefined}
        title={isolateBidi([asset.title, state?.text].filter(Boolean).join(", "))}
      >
        {picture}
        <span class="visually-hidden">
          <bdi>{asset.title}</bdi>
          {state && `, ${state.text}`}
        </span>
        {state && (
          <span class={`frame-state ${state.tone}`} aria-hidden="true">
            {state.short}
          </span>
        )}
      </a>
    </li>
  );
}

/** When it is due, that it was asked for, and what was said of it before; null for other first versions. */
function stateOf(asset: QueuedAsset, now: Micros) {
  const { version, earlier } = asset;
  const before = earlier && `version ${version}: ${earlierText(earlier)}`;
  const state = urgencyOf(asset, now);
  if (!before) return state;
  return state
    ? { ...state, text: `${state.text}, ${before}` }
    : { short: `v${version}`, text: before, tone: "quiet" };
}

function urgencyOf({ dueAt, isAsked, repeats }: QueuedAsset, now: Micros) {
  if (dueAt !== null) {
    const left = toMicros(dueAt) - now;
    return left < 0
      ? { short: `late ${spanOf(-left)}`, text: `overdue for ${spanOf(-left)}`, tone: "bad" }
      : { short: spanOf(left), text: `due in ${spanOf(left)}`, tone: "warn" };
  }
  if (isAsked) return { short: "asked", text: "asked of you", tone: "warn" };
  return repeats ? { short: "again", text: "rejected before", tone: "quiet" } : null;
}
