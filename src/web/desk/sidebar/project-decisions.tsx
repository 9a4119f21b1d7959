/** @jsxImportSource preact */
/** Decisions of the project that share words with the asset and its task. The task does not name them. */

import type { AssetDetail } from "../../../library/assets/schema.ts";
import type { Hit, Recalled } from "../../../memory/recall/schema.ts";
import { recall } from "../../../overview/operations/memory.ts";
import { hasScope, MissingScope } from "../../layout.tsx";
import { decisionUrl } from "../../memory/decision-list.tsx";
import { Time } from "../../time.tsx";
import { callOperation, type View } from "../../view.ts";
import type { Task } from "./task.tsx";

const decisionsMax = 5;

/** Null without the scope. */
export type RelatedDecisions = Hit[] | null;

export async function loadDecisions(
  view: View,
  { project, title, description }: AssetDetail,
  task: Task | null,
): Promise<RelatedDecisions> {
  if (!hasScope(view, "memory:read")) return null;
  const { hits } = await callOperation<Recalled>(view, recall, {
    project,
    kinds: ["decision"],
    limit: decisionsMax,
    query: [title, task?.title, description].filter(Boolean).join("\n"),
  });
  return hits;
}

interface ProjectDecisionsProps {
  view: View;
  project: string;
  decisions: RelatedDecisions;
}

export const ProjectDecisions = ({ view, project, decisions }: ProjectDecisionsProps) => (
  <section>
    <h2>Project decisions</h2>
    {decisions === null ? (
      <MissingScope view={view} scope="memory:read" to="see related decisions" />
    ) : (
      <>
        {decisions.length === 0 ? (
          <p class="soft">No decision shares words with this asset.</p>
        ) : (
          <ul class="requirements">
            {decisions.map((hit) => (
              <li key={hit.id}>
                <p class="decision">{hit.text}</p>
                <p class="soft">
                  <a href={decisionUrl(hit)}>Decision {hit.id}</a>, <Time ts={hit.valid_from} /> · shares{" "}
                  {hit.why.join(", ")}
                </p>
              </li>
            ))}
          </ul>
        )}
        <p class="soft">
          <a href={`/memory?project=${project}`}>All decisions of {project}</a>
        </p>
      </>
    )}
  </section>
);
