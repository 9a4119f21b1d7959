/** @jsxImportSource preact */
/** A run as one entry beside something else: its newest summary, and its facts. */
import type { Run } from "../../runs/schema.ts";
import { Time } from "../time.tsx";
import { runUrl } from "./links.tsx";
import { runFacts } from "./status.tsx";

export function RunLine({ run }: { run: Run }) {
  const { actor, status, summary, started_at } = run;
  return (
    <>
      <p class="decision">
        <a href={runUrl(run)}>{summary}</a>
      </p>
      <p class="soft">
        {actor}, <Time ts={started_at} /> · {[status, runFacts(run)].filter(Boolean).join(" · ")}
      </p>
    </>
  );
}
