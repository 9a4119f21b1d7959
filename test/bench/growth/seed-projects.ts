/** The projects of a long log, with decisions and pending assets. */
import { ulid } from "ulid";
import type { Data } from "../../../src/api/port.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { givenColumns } from "../../../src/library/assets/versions.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { firstAt, projectCount, slugOf, things } from "./long-log.ts";

/** Assets of each project that wait for a review. */
const pendingOfEach = 5;

/** An image that waits for its review. */
export function pendingAsset(project: string, index: number): AssetRow {
  const id = ulid();
  return {
    ...givenColumns({}),
    ...{
      id,
      root_id: id,
      project,
      title: `Harbor map ${index}`,
      kind: "image",
      mime: "image/png",
      size: 48_211,
    },
    ...{
      version: 1,
      status: "pending",
      created_by: `agent:${project}-1`,
      created_at: firstAt + index * secondMicros,
    },
    ...{ issue: index + 1, run_id: null, sha256: "0".repeat(64) },
    ...{ width: 800, height: 600, duration_ms: null, parent_id: null, public_url: null, expires_at: null },
    ...{
      reviewed_by: null,
      reviewed_at: null,
      review_note: null,
      filename: null,
      has_thumb: true,
      thumb_format: null,
      bundle_index: null,
      uploader: null,
      repeats: null,
    },
    ...{ key: `${project}/${index}/map.png` },
  };
}

export async function seedProjects(data: Data): Promise<void> {
  for (let number = 0; number < projectCount; number++)
    await data.atomically(async (writes) => {
      const slug = slugOf(number);
      await writes.linkProject({ slug, repo: `acme/${slug}` }, firstAt);
      for (let index = 0; index < pendingOfEach; index++) await writes.addAsset(pendingAsset(slug, index));
      for (let index = 0; index < 20; index++)
        await writes.addDecision({
          ...{
            project: slug,
            text: `Decision ${index}: the ${things[index % things.length]} stays as it is`,
            source: "mcp",
            source_ref: null,
          },
          ...{ actor: "human:maria", valid_from: firstAt + index },
        });
    });
}
