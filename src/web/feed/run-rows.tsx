/** A run as a line of the feed: it opens to what the run made and its last steps. */

import type { Run } from "../../feed/runs/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { groupBySet } from "../../library/variant-sets/group.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { LinePage, RunPreview } from "../../overview/feed/lines.ts";
import { Actor } from "../actor.tsx";
import { SmallThumb } from "../assets/asset.tsx";
import { pluralize } from "../format.ts";
import { Icon, kindStyle } from "../icons/icons.tsx";
import { type OnForge, runUrl } from "../runs/links.tsx";
import { RunStatus, runFacts } from "../runs/status.tsx";
import { Time } from "../time.tsx";
import { TaskLinks } from "./event-rows.tsx";

/** The page of the set that all of them belong to, or that of the run. */
function moreUrl(run: Run, assets: readonly Asset[]): string {
  const { single, sets } = groupBySet(assets);
  const [set, another] = sets;
  return set && !another && single.length === 0 ? setPath(set.project, set.set) : `${runUrl(run)}#run-assets`;
}

interface RunRowProps {
  preview: RunPreview;
  /** The time of its newest event. */
  ts: string;
  /** Its task on the forge. */
  onForge: OnForge | null;
  /** In a list without days. */
  hasDate?: boolean;
}

export function RunRow({ preview: { run, steps, assets }, ts, onForge, hasDate = false }: RunRowProps) {
  const facts = [
    run.summary !== run.title && run.summary,
    runFacts(run),
    run.steps > 0 && pluralize(run.steps, "step"),
    run.assets > 0 && pluralize(run.assets, "asset"),
  ].filter(Boolean);
  return (
    <li class="event run-row" data-id={`run ${run.project} ${run.id}`} data-ts={ts}>
      <Time ts={ts} as={hasDate ? "age" : "clock"} />
      <a class="kind" href={runUrl(run)}>
        Run <RunStatus status={run.status} />
      </a>
      <details class="what" data-key={`${run.project} ${run.id}`}>
        <summary>
          <span class="event-summary">
            <bdi>{run.title}</bdi>
          </span>{" "}
          {facts.length > 0 && <span class="facts">{facts.join(" · ")}</span>}
        </summary>
        {assets.length > 0 && (
          <ul class="run-thumbs">
            {assets.map((asset) => (
              <li key={asset.id}>
                <a href={`/assets/${asset.id}`} title={asset.title}>
                  <SmallThumb asset={asset} />
                  <span class="visually-hidden">
                    <bdi>{asset.title}</bdi>, version {asset.version}
                  </span>
                </a>
              </li>
            ))}
            {run.assets > assets.length && (
              <li>
                <a class="button" href={moreUrl(run, assets)}>
                  {run.assets - assets.length} more
                </a>
              </li>
            )}
          </ul>
        )}
        <ol class="last-steps">
          {steps.map((step) => (
            <li key={step.id}>
              <Time ts={step.ts} as="clock" />{" "}
              <span class={kindStyle(step.kind).tone}>
                <Icon name={kindStyle(step.kind).icon} />
              </span>{" "}
              <bdi>{step.summary}</bdi>
            </li>
          ))}
        </ol>
      </details>
      <span class="project">{!hasDate && <a href={`/projects/${run.project}`}>{run.project}</a>}</span>
      <span class="task">
        <TaskLinks of={run} onForge={onForge} />
      </span>
      <span class="actor">
        <Actor of={run.actor} />
      </span>
    </li>
  );
}

/** When the newest event of a page was appended; empty for a page without lines. Runs are in order to the minute. */
export const newestOf = ({ lines }: LinePage): string =>
  lines
    .map(({ ts }) => ts)
    .toSorted()
    .at(-1) ?? "";
