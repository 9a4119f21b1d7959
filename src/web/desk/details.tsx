/** The details of an asset. */
import type { ComponentChildren } from "preact";
import type { ModelContents } from "../../files/probe/model/schema.ts";
import { describeModel } from "../../library/assets/files/reading.ts";
import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import { setPath } from "../../memory/set-ref.ts";
import { Actor } from "../actor.tsx";
import { formatBytes, formatDuration } from "../format.ts";
import { Time } from "../time.tsx";

/** What the desk says of an asset, beside its file. */
interface Shown {
  asset: AssetDetail;
  model: ModelContents | null;
}

/** The rows of the list, in this order. Null: the field is part of another row, or stands elsewhere. */
const rows: Record<keyof Asset | "contents", [name: string, (shown: Shown) => ComponentChildren] | null> = {
  kind: ["Kind", ({ asset }) => `${asset.kind}, ${asset.mime}`],
  size: ["Size", ({ asset }) => measuresOf(asset)],
  contents: ["Contents", ({ model }) => model && describeModel(model)],
  created_at: [
    "Created",
    ({ asset }) => (
      <>
        <Time ts={asset.created_at} /> by <Actor of={asset.created_by} />
      </>
    ),
  ],
  set: [
    "Variant set",
    ({ asset: { set, project } }) => set && project && <a href={setPath(project, set)}>{set}</a>,
  ],
  tags: ["Tags", ({ asset }) => asset.tags.join(", ")],
  expires_at: ["Expires", ({ asset }) => asset.expires_at && <Time ts={asset.expires_at} />],
  url: ["File", ({ asset }) => asset.url && <a href={asset.url}>Open file</a>],
  sha256: ["SHA-256", ({ asset }) => <code class="hash">{asset.sha256}</code>],
  id: null,
  title: null,
  version: null,
  status: null,
  description: null,
  mime: null,
  width: null,
  height: null,
  duration_ms: null,
  created_by: null,
  project: null,
  issue: null,
  pr: null,
  task: null,
  run_id: null,
  parent_id: null,
  reviewed_by: null,
  reviewed_at: null,
  review_note: null,
  review_url: null,
  repeats: null,
  limits: null,
  public_url: null,
  thumb_url: null,
  bundle_url: null,
};

const measuresOf = ({ size, width, height, duration_ms }: AssetDetail): string =>
  [
    formatBytes(size),
    ...(width === null ? [] : [`${width} × ${height}`]),
    ...(duration_ms === null ? [] : [formatDuration(duration_ms)]),
  ].join(", ");

export const AssetDetails = (shown: Shown) => (
  <section>
    <h2>Details</h2>
    {shown.asset.description && <p class="decision">{shown.asset.description}</p>}
    <dl class="about">
      {Object.values(rows).map((row) => {
        const value = row?.[1](shown);
        return row && value ? (
          <div key={row[0]}>
            <dt>{row[0]}</dt>
            <dd>{value}</dd>
          </div>
        ) : null;
      })}
    </dl>
  </section>
);
