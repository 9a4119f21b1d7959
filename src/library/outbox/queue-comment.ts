/** Queues a comment for the task of an asset, if its forge takes comments. */
import type { Config } from "../../core/config.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { takesComments } from "./destination.ts";

export async function queueComment(
  config: Pick<Config, "forgeApis">,
  writes: LibraryWrites,
  { project: slug, issue, pr }: Pick<AssetRow, "project" | "issue" | "pr">,
  { marker, body, at }: { marker: string; body: string; at: Micros },
): Promise<void> {
  const number = pr ?? issue;
  if (number === null) return;
  const project = await writes.project(null, slug);
  if (!project || !takesComments(config, project)) return;
  await writes.addOutbox({
    marker,
    body,
    number,
    is_pull: pr !== null,
    forge: project.forge,
    host: project.host,
    repo: project.repo,
    due_at: at,
    created_at: at,
  });
}
