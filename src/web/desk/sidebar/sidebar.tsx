/** What an asset was made for, beside it: its task, the feedback, the run that made it, and the decisions. */

import { withoutCoordinates } from "../../../library/annotations/text.ts";
import type { Asset, AssetDetail, AssetList } from "../../../library/assets/schema.ts";
import { listAssets } from "../../../library/operations/assets.ts";
import type { Hit, Recalled } from "../../../memory/recall/schema.ts";
import { recall } from "../../../overview/operations/memory.ts";
import { Actor } from "../../actor.tsx";
import { hasScope, MissingScope } from "../../layout.tsx";
import { decisionUrl } from "../../memory/decision-list.tsx";
import { taskFilter, taskName } from "../../runs/links.tsx";
import { Time } from "../../time.tsx";
import { callOperation, type View } from "../../view.ts";
import { ProvenanceSection } from "../provenance.tsx";
import { loadRun, type MadeBy, RunSection } from "./made-by.tsx";

import { loadTask, type Task, TaskSection } from "./task.tsx";

const rejectionsMax = 6;

interface SidebarProps {
  view: View;
  asset: AssetDetail;
  task: Task | null;
  /** The version before, if its review has a note. */
  parent: AssetDetail | null;
  /** Other rejected assets of the same task. */
  rejected: Asset[];
  madeBy: MadeBy;
  decisions: RelatedDecisions;
}

/** @param loading the version before */
export async function loadSidebar(
  view: View,
  asset: AssetDetail,
  loading: Promise<AssetDetail> | null,
): Promise<SidebarProps> {
  const [task, parent] = await Promise.all([loadTask(view, asset), loading]);
  const [rejected, madeBy, decisions] = await Promise.all([
    rejectionsOf(view, asset),
    loadRun(view, asset, task),
    loadDecisions(view, asset, task),
  ]);
  return { view, asset, task, parent: parent?.review_note ? parent : null, rejected, madeBy, decisions };
}

/** Rejected assets of the same task, apart from the versions of this one. */
async function rejectionsOf(view: View, { project, versions, ...of }: AssetDetail): Promise<Asset[]> {
  if (taskName(of) === null || !hasScope(view, "assets:read")) return [];
  const { assets } = await callOperation<AssetList>(view, listAssets, {
    project,
    ...taskFilter(of),
    status: "rejected",
    limit: rejectionsMax,
  });
  return assets.filter(({ id }) => !versions.some((version) => version.id === id));
}

export const Sidebar = ({ view, asset, task, rejected, madeBy, decisions }: SidebarProps) => (
  <>
    {task && <TaskSection task={task} asset={asset} />}
    {rejected.length > 0 && <Rejections assets={rejected} />}
    <RunSection madeBy={madeBy} />
    <ProvenanceSection asset={asset} view={view} />
    <ProjectDecisions view={view} project={asset.project ?? ""} decisions={decisions} />
  </>
);

export const Feedback = ({ asset }: { asset: AssetDetail }) => (
  <section>
    <h2>Feedback on version {asset.version}</h2>
    <ul class="requirements">
      <Note asset={asset} />
    </ul>
  </section>
);

const Rejections = ({ assets }: { assets: Asset[] }) => (
  <section>
    <h2>Also rejected for this task</h2>
    <ul class="requirements">
      {assets.map((asset) => (
        <Note key={asset.id} asset={asset} hasTitle />
      ))}
    </ul>
  </section>
);

/** Of a version that was replaced, the verdict that it had; of another task only its status is known. */
const verdictOf = ({ id, status, ...asset }: Asset | AssetDetail): string =>
  ("versions" in asset && asset.versions.find((one) => one.id === id)?.verdict) ||
  (status === "approved" || status === "rejected" ? status : "reviewed");

/** A review's note, with a link to the version that it is about. */
const Note = ({ asset, hasTitle = false }: { asset: Asset; hasTitle?: boolean }) => (
  <li class="from-review">
    <p class="decision">{asset.review_note && withoutCoordinates(asset.review_note)}</p>
    <p class="soft">
      <a href={`/assets/${asset.id}`}>
        {hasTitle ? `${asset.title}, version ${asset.version}` : `Version ${asset.version}`}
      </a>
      {asset.reviewed_at && (
        <>
          , {verdictOf(asset)} by <Actor of={asset.reviewed_by} />, <Time ts={asset.reviewed_at} />
        </>
      )}
    </p>
  </li>
);

/** Decisions of the project that share words with the asset and its task. The task does not name them. */
const decisionsMax = 5;
/** One shared word says little, unless it is much of what the asset says. */
const wordsMin = 2;
const coverageMin = 0.5;

/** Null without the scope. */
type RelatedDecisions = Hit[] | null;

async function loadDecisions(
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
  return hits.filter(({ why, coverage }) => why.length >= wordsMin || coverage >= coverageMin);
}

interface ProjectDecisionsProps {
  view: View;
  project: string;
  decisions: RelatedDecisions;
}

const ProjectDecisions = ({ view, project, decisions }: ProjectDecisionsProps) => (
  <section>
    <h2>Project decisions</h2>
    {decisions === null ? (
      <MissingScope view={view} scope="memory:read" to="see related decisions" />
    ) : (
      <>
        {decisions.length === 0 ? (
          <p class="soft">No decision is related to this asset.</p>
        ) : (
          <ul class="requirements">
            {decisions.map((hit) => (
              <li key={hit.id}>
                <p class="decision">{withoutCoordinates(hit.text)}</p>
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
