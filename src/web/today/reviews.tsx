/** @jsxImportSource preact */
/** What waits for a review, by project: each thumbnail opens its asset on the desk. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import type { PendingSet } from "../../library/variant-sets/schema.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { ReviewQueue, Today } from "../../overview/today/schema.ts";
import { SmallThumb } from "../assets/asset.tsx";
import { RepeatNote } from "../assets/repeat-note.tsx";
import { Asked } from "../desk/review/review-request.tsx";
import { Time } from "../time.tsx";
import { SetSheet } from "../variant-sets/set-card.tsx";
import { countText, Section } from "./section.tsx";

const queueUrl = (project: string): string => `/assets?status=pending&project=${project}&order=oldest`;
/** The review page of an asset, within the queue of its project, which begins with the oldest. */
const deskUrl = ({ id, project }: Pick<Asset, "id" | "project">): string =>
  `/assets/${id}?project=${project}&order=oldest`;

type Waiting = NonNullable<Today["reviews"]>;

export function Reviews({ reviews, now }: { reviews: Waiting; now: Micros }) {
  const { count, queues, overdue, others } = reviews;
  return (
    <Section
      id="reviews"
      title="Waiting for your review"
      count={count}
      none="Nothing waits for a review."
      aside={<ReviewLink queues={queues} count={count} />}
    >
      {overdue.length > 0 && <Overdue requests={overdue} now={now} />}
      <ul class="cards">
        {queues.map((queue) => (
          <QueueCard key={queue.project} queue={queue} />
        ))}
      </ul>
      {others.length > 0 && (
        <p class="more-queues">
          Also in{" "}
          {others.map(({ project, count }) => (
            <a key={project} class="chip" href={queueUrl(project)}>
              {project} <span class="soft">{countText(count)}</span>
            </a>
          ))}
        </p>
      )}
    </Section>
  );
}

/** Starts the review with what has waited longest, of all projects. */
function ReviewLink({ queues: [queue], count }: { queues: ReviewQueue[]; count: number }) {
  const first = queue?.oldest[0];
  if (!queue || !first) return null;
  const set = queue.sets.find(({ set }) => set === first.set);
  return (
    <a
      class="button primary to-queue"
      href={set ? setPath(queue.project, set.set) : `/assets/${first.id}?order=oldest`}
    >
      Review {countText(count)} pending
    </a>
  );
}

const Overdue = ({ requests, now }: { requests: Waiting["overdue"]; now: Micros }) => (
  <ul class="overdue-requests">
    {requests.map((request) => (
      <li key={request.asset_id}>
        <a href={deskUrl({ id: request.asset_id, project: request.project })}>
          <bdi>{request.title}</bdi>, version {request.version}
        </a>{" "}
        <span class="soft">
          <Asked request={request} now={now} />
        </span>
      </li>
    ))}
  </ul>
);

function QueueCard({ queue: { project, count, oldest, sets, repeats = 0 } }: { queue: ReviewQueue }) {
  const [first] = oldest;
  if (!first) return null;
  const others = oldest.filter((asset) => !asset.repeats);
  const setOf = (asset: Asset) => sets.find(({ set }) => set === asset.set);
  const firstSet = setOf(first);
  return (
    <li class="panel queue-card">
      <div class="queue-head">
        <h3>
          <a href={firstSet ? setPath(project, firstSet.set) : deskUrl(first)} data-item>
            {project}
          </a>
        </h3>
        <p class="soft">
          <a href={queueUrl(project)}>{countText(count)} pending</a>, since{" "}
          <Time ts={first.created_at} as="short" />
        </p>
      </div>
      <ol class="thumbs">
        {others.map((asset) => (
          <QueueItem key={asset.id} {...{ project, asset, set: setOf(asset) }} />
        ))}
      </ol>
      <p class="queue-first">
        <span class="soft">Oldest:</span>{" "}
        {firstSet ? (
          <>
            <bdi>{firstSet.set}</bdi>, {variantsText(firstSet.count)}
          </>
        ) : (
          <bdi>{first.title}</bdi>
        )}
      </p>
      {repeats > 0 && <FoldedRepeats count={repeats} assets={oldest} />}
    </li>
  );
}

/** Files that were rejected and came back: closed, with the note that was not heard. */
const FoldedRepeats = ({ count, assets }: { count: number; assets: readonly Asset[] }) => (
  <details class="soft">
    <summary>{countText(count)} with a file that was rejected before</summary>
    <ul>
      {assets.map(
        (asset) =>
          asset.repeats && (
            <li key={asset.id}>
              <a href={deskUrl(asset)}>
                <bdi>{asset.title}</bdi>
              </a>
              : <RepeatNote repeats={asset.repeats} />
            </li>
          ),
      )}
    </ul>
  </details>
);

interface QueueItemProps {
  project: string;
  asset: Asset;
  /** The set that the asset stands for. */
  set: PendingSet | undefined;
}

/** A variant set opens its own page. */
const QueueItem = ({ project, asset, set }: QueueItemProps) =>
  set ? (
    <li>
      <a href={setPath(project, set.set)} title={`${isolateBidi(set.set)}: ${variantsText(set.count)}`}>
        <SetSheet variants={set.variants} count={set.count} />
        <span class="visually-hidden">
          <bdi>{set.set}</bdi>, {variantsText(set.count)}
        </span>
      </a>
    </li>
  ) : (
    <li>
      <a href={deskUrl(asset)} title={asset.title}>
        <SmallThumb asset={asset} kind={asset.kind} />
        <bdi class="visually-hidden">{asset.title}</bdi>
      </a>
    </li>
  );
