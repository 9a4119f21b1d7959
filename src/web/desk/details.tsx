/** @jsxImportSource preact */
/** The details of an asset. */
import type { ComponentChildren } from "preact";
import type { ModelContents } from "../../files/probe/model/schema.ts";
import { describeModel } from "../../library/assets/files/reading.ts";
import type { AssetDetail } from "../../library/assets/schema.ts";
import { setPath } from "../../memory/set-ref.ts";
import { Actor } from "../actor.tsx";
import { formatBytes, formatDuration } from "../format.ts";
import { Time } from "../time.tsx";

export function AssetDetails({ asset, model }: { asset: AssetDetail; model: ModelContents | null }) {
  const measures = [
    formatBytes(asset.size),
    asset.width === null ? null : `${asset.width} × ${asset.height}`,
    asset.duration_ms === null ? null : formatDuration(asset.duration_ms),
  ];
  const facts: [string, ComponentChildren][] = [
    ["Kind", `${asset.kind}, ${asset.mime}`],
    ["Size", measures.filter((measure) => measure !== null).join(", ")],
    ["Contents", model && describeModel(model)],
    [
      "Created",
      <>
        <Time ts={asset.created_at} /> by <Actor of={asset.created_by} />
      </>,
    ],
    [
      "Variant set",
      asset.set && asset.project ? <a href={setPath(asset.project, asset.set)}>{asset.set}</a> : null,
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
