/** @jsxImportSource preact */
/** The sidebar of the review desk: requirements, the task brief, and the asset's details. */
import type { ComponentChildren } from "preact";
import type { AssetDetail } from "../../assets/schema.ts";
import type { Brief, Recalled } from "../../memory/schema.ts";
import { getAsset } from "../../operations/assets.ts";
import { brief, recall } from "../../operations/memory.ts";
import { getProject } from "../../operations/projects.ts";
import type { ProjectDetail } from "../../projects/schema.ts";
import { formatBytes, formatDuration } from "../format.ts";
import { hasScope, MissingScope } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";

/** A review note or a decision that applies to the asset. */
interface Requirement {
  text: string;
  isRejection: boolean;
  label: ComponentChildren;
  /** ID of the rejected asset. */
  asset: string | null;
}

interface RequirementsProps {
  view: View;
  requirements: Requirement[];
  /** The brief that the task's agent reads; null without the scope. */
  brief: string | null;
}

const requirementsMax = 12;
const briefCharsMax = 6_000;

/**
 * The feedback on the previous version, then related decisions. Without `memory:read`, the decisions are
 * those of the project.
 */
export async function loadRequirements(view: View, asset: AssetDetail): Promise<RequirementsProps> {
  const project = asset.project ?? "";
  const task = asset.issue ?? asset.pr;
  const intent = [asset.title, asset.description, task && `#${task}`].filter(Boolean).join("\n");
  const [parent, recalled, compiled, detail] = await Promise.all([
    asset.parent_id ? callOperation<AssetDetail>(view, getAsset, { id: asset.parent_id }) : null,
    hasScope(view, "memory:read")
      ? callOperation<Recalled>(view, recall, {
          query: intent,
          project,
          kinds: ["decision", "review"],
          limit: requirementsMax,
        })
      : null,
    hasScope(view, "memory:read")
      ? callOperation<Brief>(view, brief, { project, intent, issue: asset.issue, max_chars: briefCharsMax })
      : null,
    hasScope(view, "feed:read") ? callOperation<ProjectDetail>(view, getProject, { slug: project }) : null,
  ]);
  const found = recalled?.hits.length ? recalled.hits : (detail?.decisions ?? []);
  const related = found.map(({ text, source, source_ref, valid_from }) => ({
    text,
    isRejection: source === "review",
    label: (
      <>
        <Time ts={valid_from} /> · {source}
      </>
    ),
    asset: source === "review" ? source_ref : null,
  }));
  const others = related.filter(
    (requirement) => requirement.asset !== asset.id && requirement.asset !== parent?.id,
  );
  const feedback = parent?.review_note
    ? [
        {
          text: parent.review_note,
          isRejection: true,
          label: `Feedback on version ${parent.version}`,
          asset: parent.id,
        },
      ]
    : [];
  return {
    view,
    requirements: [...feedback, ...others].slice(0, requirementsMax),
    brief: compiled?.text ?? null,
  };
}

export function Requirements({ view, requirements, brief }: RequirementsProps) {
  return (
    <section>
      <h2>Requirements</h2>
      {requirements.length > 0 ? (
        <ul class="requirements">
          {requirements.map((requirement) => (
            <li key={requirement.text} class={requirement.isRejection ? "from-review" : undefined}>
              <p class="decision">{requirement.text}</p>
              <p class="soft">
                {requirement.asset ? (
                  <a href={`/assets/${encodeURIComponent(requirement.asset)}`}>{requirement.label}</a>
                ) : (
                  requirement.label
                )}
              </p>
            </li>
          ))}
        </ul>
      ) : hasScope(view, "memory:read") || hasScope(view, "feed:read") ? (
        <p class="soft">No related decisions.</p>
      ) : (
        <MissingScope view={view} scope="memory:read" to="see related decisions" />
      )}
      {brief !== null && (
        <details>
          <summary>Task brief</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
          <pre class="brief" tabIndex={0}>
            {brief}
          </pre>
        </details>
      )}
    </section>
  );
}

export function AssetDetails({ asset }: { asset: AssetDetail }) {
  const measures = [
    formatBytes(asset.size),
    asset.width === null ? null : `${asset.width} × ${asset.height}`,
    asset.duration_ms === null ? null : formatDuration(asset.duration_ms),
  ];
  const facts: [string, ComponentChildren][] = [
    ["Kind", `${asset.kind}, ${asset.mime}`],
    ["Size", measures.filter((measure) => measure !== null).join(", ")],
    [
      "Created",
      <>
        <Time ts={asset.created_at} /> by {asset.created_by}
      </>,
    ],
    ["Tags", asset.tags.join(", ") || null],
    ["Expires", asset.expires_at && <Time ts={asset.expires_at} />],
  ];
  return (
    <section>
      <h2>Details</h2>
      {asset.description && <p class="decision">{asset.description}</p>}
      <dl class="about">
        {facts.map(([name, value]) =>
          value === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
        {asset.task_url && (
          <div>
            <dt>Task</dt>
            <dd>
              <a href={asset.task_url} rel="noreferrer">
                {asset.pr ? `pull request #${asset.pr}` : `issue #${asset.issue}`}
              </a>
            </dd>
          </div>
        )}
        {asset.url && (
          <div>
            <dt>File</dt>
            <dd>
              <a href={asset.url}>Open file</a>
            </dd>
          </div>
        )}
        <div>
          <dt>SHA-256</dt>
          <dd>
            <code class="hash">{asset.sha256}</code>
          </dd>
        </div>
      </dl>
    </section>
  );
}
