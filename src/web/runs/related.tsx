/** @jsxImportSource preact */
/** The run that started this one, and those that it started. */
import type { Run } from "../../feed/runs/schema.ts";
import { runUrl } from "./links.tsx";
import type { ShownRun } from "./load-run.ts";
import { RunStatus, runFacts } from "./status.tsx";

export function RelatedRuns({ shown: { run } }: { shown: ShownRun }) {
  if (!run.parent && run.children.length === 0) return null;
  return (
    <section id="run-related" data-live>
      <h2>Other runs</h2>
      {run.parent && (
        <p>
          Started by <a href={runUrl({ id: run.parent, project: run.project })}>run {run.parent}</a>
        </p>
      )}
      {run.children.length > 0 && (
        <>
          <h3>Started by this run</h3>
          <RunList runs={run.children} />
        </>
      )}
    </section>
  );
}

/** Runs, each as a link with its status and facts. */
export const RunList = ({ runs }: { runs: Run[] }) => (
  <ul class="plain-list runs">
    {runs.map((run) => (
      <li key={run.id}>
        <RunStatus status={run.status} />{" "}
        <a href={runUrl(run)}>
          <bdi>{run.title}</bdi>
        </a>{" "}
        <span class="soft">
          {[run.summary === run.title ? "" : run.summary, runFacts(run)].filter(Boolean).join(" · ")}
        </span>
      </li>
    ))}
  </ul>
);
