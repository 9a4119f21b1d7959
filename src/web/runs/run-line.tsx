/** @jsxImportSource preact */
/** A run as one entry beside something else: its newest summary, and its facts. */
import { derivedRunIdPrefix } from "../../runs/rule.ts";
import type { Run } from "../../runs/schema.ts";
import { formatCost, formatDuration } from "../format.ts";
import { Time } from "../time.tsx";

/** A sender's id is unique within its project only. */
const runUrl = ({ id, project }: Run): string =>
  `/runs/${encodeURIComponent(id)}${id.startsWith(derivedRunIdPrefix) ? "" : `?project=${project}`}`;

export function RunLine({ run }: { run: Run }) {
  const { actor, status, duration_ms, cost_equiv, summary, started_at } = run;
  const facts = [
    status,
    duration_ms === null ? null : formatDuration(duration_ms),
    cost_equiv > 0 ? formatCost(cost_equiv) : null,
  ];
  return (
    <>
      <p class="decision">
        <a href={runUrl(run)}>{summary}</a>
      </p>
      <p class="soft">
        {actor}, <Time ts={started_at} /> · {facts.filter((fact) => fact !== null).join(" · ")}
      </p>
    </>
  );
}
