/** @jsxImportSource preact */
/** The sidebar of the review desk: requirements, the task brief, and the asset's details. */
import type { AssetDetail } from "../../assets/schema.ts";
import type { Brief, Recalled } from "../../memory/schema.ts";
import { getAsset } from "../../operations/assets.ts";
import { brief, recall } from "../../operations/memory.ts";
import { getProject } from "../../operations/projects.ts";
import type { ProjectDetail } from "../../projects/schema.ts";
import { bytes, lasting, shortDay } from "../format.ts";
import { Lacks, maySay } from "../layout.tsx";
import { ask, type View } from "../view.ts";

/** A review note or a decision that applies to the asset. */
interface Asking {
  text: string;
  isRejection: boolean;
  said: string;
  /** ID of the rejected asset. */
  asset: string | null;
}

export interface Asked {
  view: View;
  askings: Asking[];
  /** The brief that the task's agent reads; null without the scope. */
  brief: string | null;
}

const askingsMax = 12;
const briefCharsMax = 6_000;

/**
 * The feedback on the previous version, then related decisions. Without `memory:read`, the project's decisions
 * are listed instead.
 */
export async function askedOf(view: View, asset: AssetDetail): Promise<Asked> {
  const project = asset.project ?? "";
  const task = asset.issue ?? asset.pr;
  const intent = [asset.title, asset.description, task && `#${task}`].filter(Boolean).join("\n");
  const [parent, recalled, compiled, detail] = await Promise.all([
    asset.parent_id ? ask<AssetDetail>(view, getAsset, { id: asset.parent_id }) : null,
    maySay(view, "memory:read")
      ? ask<Recalled>(view, recall, {
          query: intent,
          project,
          kinds: ["decision", "review"],
          limit: askingsMax,
        })
      : null,
    maySay(view, "memory:read")
      ? ask<Brief>(view, brief, { project, intent, issue: asset.issue, max_chars: briefCharsMax })
      : null,
    maySay(view, "feed:read") ? ask<ProjectDetail>(view, getProject, { slug: project }) : null,
  ]);
  const found = recalled?.hits.length ? recalled.hits : (detail?.decisions ?? []);
  const askings = found.map(({ text, source, source_ref, valid_from }) => ({
    text,
    isRejection: source === "review",
    said: `${shortDay(valid_from)} · ${source}`,
    asset: source === "review" ? source_ref : null,
  }));
  const others = askings.filter((one) => one.asset !== asset.id && one.asset !== parent?.id);
  const answers = parent?.review_note
    ? [
        {
          text: parent.review_note,
          isRejection: true,
          said: `Feedback on version ${parent.version}`,
          asset: parent.id,
        },
      ]
    : [];
  return { view, askings: [...answers, ...others].slice(0, askingsMax), brief: compiled?.text ?? null };
}

export function Asked({ asked: { view, askings, brief } }: { asked: Asked }) {
  return (
    <section>
      <h2>Requirements</h2>
      {askings.length > 0 ? (
        <ul class="asked">
          {askings.map((one) => (
            <li key={one.text} class={one.isRejection ? "from-review" : undefined}>
              <p class="decision">{one.text}</p>
              <p class="soft">
                {one.asset ? <a href={`/assets/${encodeURIComponent(one.asset)}`}>{one.said}</a> : one.said}
              </p>
            </li>
          ))}
        </ul>
      ) : maySay(view, "memory:read") || maySay(view, "feed:read") ? (
        <p class="soft">No related decisions.</p>
      ) : (
        <Lacks view={view} scope="memory:read" to="see related decisions" />
      )}
      {brief !== null && (
        <details>
          <summary>Task brief</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre class="brief" tabIndex={0}>
            {brief}
          </pre>
        </details>
      )}
    </section>
  );
}

export function About({ asset }: { asset: AssetDetail }) {
  const measures = [
    bytes(asset.size),
    asset.width === null ? null : `${asset.width} × ${asset.height}`,
    asset.duration_ms === null ? null : lasting(asset.duration_ms),
  ];
  const facts: [string, string | null][] = [
    ["Kind", `${asset.kind}, ${asset.mime}`],
    ["Size", measures.filter((one) => one !== null).join(", ")],
    ["Created", `${shortDay(asset.created_at)} by ${asset.created_by}`],
    ["Tags", asset.tags.join(", ") || null],
    ["Expires", asset.expires_at && shortDay(asset.expires_at)],
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
