/** @jsxImportSource preact */
/** What a run made: assets with their verdicts, what reviewers answered, and its decisions. */
import { Status } from "../assets/asset.tsx";
import { Tile } from "../assets/tiles.tsx";
import { MissingScope } from "../layout.tsx";
import { VerdictLabel } from "../tasks/verdict.tsx";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";
import type { ShownRun } from "./load-run.ts";

export function RunMade({ view, shown: { run, assets } }: { view: View; shown: ShownRun }) {
  const answered = assets?.filter((asset) => asset.review_note !== null) ?? [];
  return (
    <>
      <section id="run-assets" data-live>
        <h2>What it made</h2>
        {assets && assets.length > 0 && (
          <ul class="grid small">
            {assets.map((asset) => (
              <Tile key={asset.id} asset={asset} url={new URL("/assets", view.url)} isSelectable={false} />
            ))}
          </ul>
        )}
        {run.assets_made.length === 0 && run.decisions_made.length === 0 && (
          <p class="soft">No assets and no decisions{run.status === "running" && " yet"}.</p>
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
                  Decision · <Time ts={decision.valid_from} as="short" />
                </p>
              </li>
            ))}
          </ul>
        )}
      </section>
      {answered.length > 0 && (
        <section id="run-answers" data-live>
          <h2>What reviewers answered</h2>
          <ul class="decisions">
            {answered.map((asset) => (
              <Answer key={asset.id} asset={asset} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The note of a review, with its verdict. */
const Answer = ({ asset }: { asset: NonNullable<ShownRun["assets"]>[number] }) => (
  <li class={asset.verdict === "rejected" ? "from-review" : undefined}>
    <p class="decision">
      <bdi>{asset.review_note}</bdi>
    </p>
    <p class="soft">
      <VerdictLabel verdict={asset.verdict} /> by {asset.reviewed_by},{" "}
      <a href={`/assets/${asset.id}`}>
        <bdi>{asset.title}</bdi>, version {asset.version}
      </a>
    </p>
  </li>
);
