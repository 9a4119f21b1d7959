/** @jsxImportSource preact */
/** The run that made an asset, and what it was told: the brief it was given, or the one of its task now. */

import { toMicros } from "../../../core/lib/time.ts";
import { Problem } from "../../../core/problem.ts";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import type { Brief } from "../../../overview/brief/schema.ts";
import { brief as compileBrief } from "../../../overview/operations/memory.ts";
import { getAssetRun } from "../../../overview/operations/runs.ts";
import type { RunDetail } from "../../../overview/runs/schema.ts";
import { hasScope } from "../../layout.tsx";
import { RunLine } from "../../runs/run-line.tsx";
import { Time } from "../../time.tsx";
import { callOperation, type View } from "../../view.ts";
import type { Task } from "./task.tsx";

const briefCharsMax = 6_000;

type GivenBrief = RunDetail["briefs"][number];

export interface MadeBy {
  /** Null when no run made it, as far as its events say. */
  run: RunDetail | null;
  /** The last brief that the run was given before it uploaded the asset. */
  given: GivenBrief | null;
  /** Without such a brief: what an agent that starts on the task now is told. Null without the scope. */
  current: string | null;
}

export async function loadRun(view: View, asset: AssetDetail, task: Task | null): Promise<MadeBy> {
  const run = hasScope(view, "feed:read") ? await runOf(view, asset) : null;
  const given = run?.briefs.findLast(({ at }) => toMicros(at) <= toMicros(asset.created_at)) ?? null;
  return { run, given, current: given ? null : await currentBrief(view, asset, task) };
}

async function runOf(view: View, { id }: AssetDetail): Promise<RunDetail | null> {
  try {
    return await callOperation<RunDetail>(view, getAssetRun, { id });
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

async function currentBrief(
  view: View,
  { project, title, issue, task: key }: AssetDetail,
  task: Task | null,
): Promise<string | null> {
  if (!hasScope(view, "memory:read")) return null;
  const intent = [task?.title, title].filter(Boolean).join("\n");
  const { text } = await callOperation<Brief>(view, compileBrief, {
    project,
    intent,
    issue,
    task: key,
    max_chars: briefCharsMax,
  });
  return text;
}

export function RunSection({ madeBy: { run, given, current } }: { madeBy: MadeBy }) {
  if (!run && current === null) return null;
  return (
    <section>
      <h2>{run ? "Made by a run" : "Brief"}</h2>
      {run && <RunLine run={run} />}
      {given ? (
        <Told given={given} />
      ) : (
        current !== null && (
          <BriefText
            title={run ? "Not recorded: what it was told. The task's brief now" : "The task's brief now"}
            text={current}
          />
        )
      )}
    </section>
  );
}

const Told = ({ given }: { given: GivenBrief }) =>
  given.text === null ? (
    <p class="soft">
      It was given a brief of {given.chars} characters, <Time ts={given.at} />. svc stores the text for 90
      days.
    </p>
  ) : (
    <BriefText title="What it was told" text={given.text} />
  );

const BriefText = ({ title, text }: { title: string; text: string }) => (
  <details>
    <summary>{title}</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
    <pre class="brief" tabIndex={0}>
      {text}
    </pre>
  </details>
);
