/** What a run made: assets with their verdicts, what reviewers answered, and its decisions. */

import { isOpen } from "../../feed/runs/schema.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import { groupBySet, setKey } from "../../library/variant-sets/group.ts";
import { setPath } from "../../memory/set-ref.ts";
import { Actor } from "../actor.tsx";
import { Status } from "../assets/asset.tsx";
import { Tile } from "../assets/tiles.tsx";
import { MissingScope } from "../layout.tsx";
import { VerdictLabel } from "../tasks/verdict.tsx";
import { Time } from "../time.tsx";
import { SetCard } from "../variant-sets/set-card.tsx";
import type { View } from "../view.ts";
import type { ShownRun } from "./load-run.ts";

export function RunMade({ view, shown: { run, assets, setStatuses } }: { view: View; shown: ShownRun }) {
  const answers = answersOf(assets ?? []);
  const { single, sets } = groupBySet(assets ?? []);
  return (
    <>
      <section id="run-assets" data-live>
        <h2>What it made</h2>
        {assets && assets.length > 0 && (
          <ul class="grid small">
            {sets.map((set) => (
              <SetCard
                key={set.set}
                {...set}
                statuses={setStatuses.get(setKey(set.project, set.set)) ?? []}
              />
            ))}
            {single.map((asset) => (
              <Tile
                key={asset.id}
                asset={asset}
                verdict={
                  asset.verdict === "rejected" || asset.verdict === "approved" ? asset.verdict : undefined
                }
                url={new URL("/assets", view.url)}
                isSelectable={false}
              />
            ))}
          </ul>
        )}
        {run.assets_made.length === 0 && run.decisions_made.length === 0 && (
          <p class="soft">No assets and no decisions{isOpen(run.status) && " yet"}.</p>
        )}
        {run.assets_made.length > 0 && !assets && (
          <>
            <ul class="plain-list">
              {run.assets_made.map(({ id, title, version, status }) => (
                <li key={id}>
                  <bdi>{title}</bdi>, version {version} <Status status={status} />
                </li>
              ))}
            </ul>
            <MissingScope view={view} scope="assets:read" to="open its assets" />
          </>
        )}
        {run.decisions_made.length > 0 && (
          <ul class="decisions">
            {run.decisions_made.map((decision) => (
              <li key={decision.id}>
                <p class="decision">{decision.text}</p>
                <p class="soft">
                  Decision · <Time ts={decision.valid_from} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </section>
      {answers.length > 0 && (
        <section id="run-answers" data-live>
          <h2>What reviewers answered</h2>
          <ul class="decisions">
            {answers.map((answer) => (
              <Answer key={answer.asset.id} {...answer} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

type MadeAsset = NonNullable<ShownRun["assets"]>[number];

interface Answered {
  asset: MadeAsset;
  /** How many variants of its set have the same verdict and note; 1 for one that belongs to no set. */
  count: number;
}

/** The note of a set is there once. */
function answersOf(assets: readonly MadeAsset[]): Answered[] {
  const answered = assets.filter(({ review_note }) => review_note !== null);
  const groups = Map.groupBy(answered, ({ id, set, verdict, review_note }) =>
    JSON.stringify(set ? [set, verdict, review_note] : [id]),
  );
  return [...groups.values()].flatMap(([asset, ...others]) =>
    asset ? [{ asset, count: 1 + others.length }] : [],
  );
}

/** The note of a review, with its verdict. */
const Answer = ({ asset, count }: Answered) => (
  <li class={asset.verdict === "rejected" ? "from-review" : undefined}>
    <p class="decision">
      <bdi>{asset.review_note}</bdi>
    </p>
    <p class="soft">
      <VerdictLabel verdict={asset.verdict} /> by <Actor of={asset.reviewed_by} />,{" "}
      {count > 1 && asset.set && asset.project ? (
        <a href={setPath(asset.project, asset.set)}>
          {variantsText(count)} of <bdi>{asset.set}</bdi>
        </a>
      ) : (
        <a href={`/assets/${asset.id}`}>
          <bdi>{asset.title}</bdi>, version {asset.version}
        </a>
      )}
    </p>
  </li>
);
