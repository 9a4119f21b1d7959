/**
 * The story of a task from left to right: each run with the brief that it was given, each version with its
 * review, and how it ended. The words of a rejection are highlighted where a later brief carries them.
 */

import type { Run } from "../../feed/runs/schema.ts";
import type { Event } from "../../feed/schema.ts";
import type { Attempt } from "../../overview/tasks/attempts.ts";
import { Thumb } from "../assets/tiles.tsx";
import { withParameter } from "../desk/compare/pick.tsx";
import { formatCost, formatCount } from "../format.ts";
import { Icon } from "../icons/icons.tsx";
import { runUrl } from "../runs/links.tsx";
import { RunStatus, runFacts } from "../runs/status.tsx";
import { Time } from "../time.tsx";
import type { ShownTask } from "./load-task.ts";
import { VerdictLabel, verdictTone } from "./verdict.tsx";

/** Ends of pull requests and issues. */
const endKinds = new Set<string>(["pr.merged", "pr.closed", "issue.closed"]);

interface Scene {
  /** When it began: the order of the film. */
  at: string;
  content: preact.JSX.Element;
}

/** Nothing for a task with one scene, which needs no film. */
export function TaskFilm({ shown: { runs, chains, events } }: { shown: ShownTask }) {
  const attempts = (chains ?? []).flatMap((chain) => chain.attempts);
  const scale = {
    duration: Math.max(...runs.map(({ duration_ms }) => duration_ms ?? 0), 1),
    cost: Math.max(...runs.map(({ cost_equiv }) => cost_equiv), 0.01),
  };
  const scenes: Scene[] = [
    ...runs.map((run) => ({
      at: run.started_at,
      content: <RunScene key={run.id} run={run} carried={carriedBy(run, attempts)} scale={scale} />,
    })),
    ...attempts.map((attempt) => ({
      at: attempt.asset.created_at,
      content: <VersionScene key={attempt.asset.id} attempt={attempt} />,
    })),
    ...events
      .filter(({ kind }) => endKinds.has(kind))
      .map((event) => ({ at: event.ts, content: <EndScene key={event.id} event={event} /> })),
  ].toSorted((a, b) => (a.at < b.at ? -1 : 1));
  if (scenes.length < 2) return null;
  return (
    <section class="film" id="task-film" data-live aria-label="Story of the task, oldest first">
      <ol>{scenes.map(({ content }) => content)}</ol>
    </section>
  );
}

/** The rejections that the brief of a run carried. */
const carriedBy = (run: Run, attempts: Attempt[]): Attempt[] =>
  attempts.filter(({ briefedRuns }) => briefedRuns.some(({ id }) => id === run.id));

interface RunSceneProps {
  run: Run;
  carried: Attempt[];
  /** The longest and the most expensive run. */
  scale: { duration: number; cost: number };
}

function RunScene({ run, carried, scale }: RunSceneProps) {
  return (
    <li class="scene">
      {run.brief && (
        <p class="scene-brief">
          <Icon name="book" /> <a href={`${runUrl(run)}#run-memory`}>Brief given</a>{" "}
          <span class="soft">{formatCount(run.brief.chars)} characters</span>
          {carried.map(({ asset, decision }) => (
            <a key={asset.id} class="carried" href={`/memory/decisions/${decision?.id}`}>
              <mark>
                <bdi>{asset.review_note}</bdi>
              </mark>
            </a>
          ))}
        </p>
      )}
      <RunBar run={run} scale={scale} />
      <p>
        <RunStatus status={run.status} /> <a href={runUrl(run)}>Run</a>{" "}
        <span class="soft whole">{runFacts(run)}</span>
      </p>
      <SceneTime at={run.started_at} />
    </li>
  );
}

/** In pixels. */
const bar = { width: 130, height: 40, least: 4 };

/** As wide as the run is long, and as high as it cost, beside the longest and the most expensive one. */
function RunBar({ run: { duration_ms, cost_equiv, title }, scale }: Omit<RunSceneProps, "carried">) {
  const width = Math.max(bar.least, (bar.width * (duration_ms ?? 0)) / scale.duration);
  const height = Math.max(bar.least, (bar.height * cost_equiv) / scale.cost);
  return (
    <svg
      class="run-bar"
      width={bar.width}
      height={bar.height}
      role="img"
      aria-label={`${title}: ${formatCost(cost_equiv)}`}
    >
      <rect width={width.toFixed(1)} height={height.toFixed(1)} y={(bar.height - height).toFixed(1)} rx="2" />
    </svg>
  );
}

function VersionScene({ attempt: { asset, verdict } }: { attempt: Attempt }) {
  return (
    <li class={`scene ${verdictTone(verdict)}-edge`}>
      <a class="attempt-picture" href={`#version-${asset.id}`}>
        <Thumb asset={asset} />
        {asset.review_note && (
          <span class="pinned">
            <bdi>{asset.review_note}</bdi>
          </span>
        )}
        <strong>
          <bdi>{asset.title}</bdi>
        </strong>
        <span class="soft">Version {asset.version}</span>
      </a>
      <p>
        <VerdictLabel verdict={verdict} />
      </p>
      {asset.parent_id && (
        <p>
          <a href={`/assets/${asset.id}?${withParameter}=${asset.parent_id}`}>Difference</a>
        </p>
      )}
      <SceneTime at={asset.created_at} />
    </li>
  );
}

const EndScene = ({ event: { kind, summary, ts } }: { event: Pick<Event, "kind" | "summary" | "ts"> }) => (
  <li class={`scene ${kind === "pr.merged" ? "good" : "quiet"}-edge`}>
    <p>
      <span class={kind === "pr.merged" ? "good" : "quiet"}>
        <Icon name={kind === "pr.merged" ? "merge" : "closed"} />
      </span>{" "}
      <bdi>{summary}</bdi>
    </p>
    <SceneTime at={ts} />
  </li>
);

const SceneTime = ({ at }: { at: string }) => (
  <p class="soft">
    <Time ts={at} />
  </p>
);
