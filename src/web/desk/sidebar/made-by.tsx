/** The run that made an asset, and what it was told: the brief it was given, or a link to the one of its task. */

import { toMicros } from "../../../core/lib/time.ts";
import { Problem } from "../../../core/problem.ts";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import { getAssetRun } from "../../../overview/operations/runs.ts";
import type { RunDetail } from "../../../overview/runs/schema.ts";
import { hasScope } from "../../layout.tsx";
import { briefUrl } from "../../memory/brief.tsx";
import { RunLine } from "../../runs/run-line.tsx";
import { Time } from "../../time.tsx";
import { callOperation, type View } from "../../view.ts";
import type { Task } from "./task.tsx";

type GivenBrief = RunDetail["briefs"][number];

export interface MadeBy {
  /** Null when no run made it, as far as its events say. */
  run: RunDetail | null;
  /** The last brief that the run was given before it uploaded the asset. */
  given: GivenBrief | null;
  /** Without such a brief: the page of what an agent that starts on the task now is told. */
  currentUrl: string | null;
}

export async function loadRun(view: View, asset: AssetDetail, task: Task | null): Promise<MadeBy> {
  const run = hasScope(view, "feed:read") ? await runOf(view, asset) : null;
  const given = run?.briefs.findLast(({ at }) => toMicros(at) <= toMicros(asset.created_at)) ?? null;
  return { run, given, currentUrl: given ? null : currentBriefUrl(view, asset, task) };
}

async function runOf(view: View, { id }: AssetDetail): Promise<RunDetail | null> {
  try {
    return await callOperation<RunDetail>(view, getAssetRun, { id });
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

/** Null without the scope. */
function currentBriefUrl(view: View, asset: AssetDetail, task: Task | null): string | null {
  if (!hasScope(view, "memory:read") || asset.project === null) return null;
  const intent = [task?.title, asset.title].filter(Boolean).join("\n");
  return briefUrl(asset.project, asset, { intent });
}

export function RunSection({ madeBy: { run, given, currentUrl } }: { madeBy: MadeBy }) {
  if (!run && currentUrl === null) return null;
  return (
    <section>
      <h2>{run ? "Made by a run" : "Brief"}</h2>
      {run && <RunLine run={run} />}
      {given && <RecordedBrief given={given} />}
      {currentUrl !== null && (
        <p class="soft">
          {run && "The brief it was given is not recorded. "}
          <a href={currentUrl}>Brief of its task now</a>
        </p>
      )}
    </section>
  );
}

const RecordedBrief = ({ given }: { given: GivenBrief }) =>
  given.text === null ? (
    <p class="soft">
      It was given a brief of {given.chars} characters, <Time ts={given.at} />. svc stores the text for 90
      days.
    </p>
  ) : (
    <details>
      <summary>Brief it was given</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
      <pre class="brief" tabIndex={0}>
        {given.text}
      </pre>
    </details>
  );
