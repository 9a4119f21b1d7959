/** The comment of a set on the forge: one for each task of its rejected variants. */

import type { Micros } from "../../core/lib/time.ts";
import { setPageUrl } from "../../memory/set-ref.ts";
import type { LibraryContext } from "../context.ts";
import { setComment } from "../outbox/comment.ts";
import { queueComment } from "../outbox/queue-comment.ts";
import type { LibraryWrites } from "../port.ts";
import type { SetDecision, SetName } from "./decision.ts";

export async function commentOnSet(
  { config }: Pick<LibraryContext, "config">,
  writes: LibraryWrites,
  { project, set }: SetName,
  { actor, at }: { actor: string; at: Micros },
  { text, rejected }: SetDecision,
): Promise<void> {
  const body = setComment(set, actor, text, setPageUrl(config, project, set));
  const byTask = new Map(rejected.map((asset) => [`${asset.pr ?? ""} ${asset.issue ?? ""}`, asset]));
  for (const asset of byTask.values())
    await queueComment(config, writes, asset, { marker: `${asset.id}-${at}-set`, body, at });
}
