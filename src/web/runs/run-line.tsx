/** A run as one entry beside something else: its title, its newest summary, and its facts. */
import type { Run } from "../../feed/runs/schema.ts";
import { Actor } from "../actor.tsx";
import { Time } from "../time.tsx";
import { runUrl } from "./links.tsx";
import { RunStatus, runFacts } from "./status.tsx";

export const RunLine = ({ run }: { run: Run }) => (
  <>
    <p class="decision">
      <a href={runUrl(run)}>
        <bdi>{run.title}</bdi>
      </a>
    </p>
    {run.summary !== run.title && (
      <p class="soft">
        <bdi>{run.summary}</bdi>
      </p>
    )}
    <p class="soft">
      <RunStatus status={run.status} /> · <Actor of={run.actor} />, <Time ts={run.started_at} />
      {runFacts(run) && ` · ${runFacts(run)}`}
    </p>
  </>
);
