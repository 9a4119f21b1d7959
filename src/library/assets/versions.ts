/** Adds an asset version with its event, and marks the version it replaces as superseded. */

import { eventActor } from "../../core/auth/actor.ts";
import type { Config } from "../../core/config.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { dayMicros, type Micros } from "../../core/lib/time.ts";
import { badRequest, conflict, notFound } from "../../core/problem.ts";
import { issueOnly, shownKey, taskNumberOf } from "../../core/task-key.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import { assetPageUrl } from "./page-url.ts";
import { type AssetMetadata, givenFields } from "./schema.ts";

type Given = Pick<AssetRow, keyof typeof givenFields> & { title: string | null };

/** The columns that an upload gives: null where it gives none. */
export const givenColumns = (metadata: Partial<AssetMetadata>): Given => {
  const names = Object.keys(givenFields) as (keyof typeof givenFields)[];
  const values = Object.fromEntries(names.map((name) => [name, metadata[name] ?? null]));
  values.issue = taskNumberOf(metadata);
  values.task = metadata.task === undefined ? null : shownKey(metadata.task);
  // safe because: the columns have the names and types of these fields
  return { ...values, tags: metadata.tags ?? [] } as Given;
};

/** Columns that are the same in every new version, or follow from the one that it replaces. */
type Derived =
  | "version"
  | "root_id"
  | "parent_id"
  | "status"
  | "reviewed_by"
  | "reviewed_at"
  | "review_note"
  | "public_url"
  | "expires_at";
type Unknown = "uploader" | "filename" | "repeats";

/** Title null: use the title of the replaced version, else the file name. */
export type NewAsset = Omit<AssetRow, Derived | Unknown | keyof Given> &
  Given &
  Partial<Pick<AssetRow, Unknown>>;

/** Returns when the file of a rejected or superseded version may be deleted. */
export const retainedUntil = ({ retentionDays }: Pick<Config, "retentionDays">, at: Micros): Micros =>
  at + retentionDays * dayMicros;

/**
 * Inserts the row. Throws a Problem 409 if the id exists or the replaced asset is no longer the newest
 * version.
 */
export async function addVersion(
  writes: LibraryWrites,
  config: Config,
  asset: NewAsset,
  filename: string,
  replaces: string | undefined,
): Promise<AssetRow> {
  const parent = replaces === undefined ? null : await requireNewest(writes, replaces, asset.project);
  const row: AssetRow = {
    uploader: null,
    filename: null,
    repeats: null,
    ...asset,
    title: asset.title ?? parent?.title ?? filename,
    // A new version inherits the task and the set unless it names others.
    ...(asset.issue === null && parent ? taskOf(parent) : taskOf(asset)),
    pr: asset.pr ?? parent?.pr ?? null,
    set: asset.set ?? parent?.set ?? null,
    version: (parent?.version ?? 0) + 1,
    root_id: parent?.root_id ?? asset.id,
    parent_id: parent?.id ?? null,
    status: "pending",
    reviewed_by: null,
    reviewed_at: null,
    review_note: null,
    public_url: null,
    expires_at: null,
  };
  if (!(await writes.addAsset(row))) throw conflict("This upload is already finalized.");
  if (parent) {
    await writes.changeAsset(parent.id, {
      status: "superseded",
      expires_at: retainedUntil(config, asset.created_at),
    });
    await writes.removeReviewRequest(parent.id);
    await writes.setVerdictsOpen(parent.id, false);
  }
  const summary = `Uploaded ${isolateBidi(row.title)}, version ${row.version}`;
  await writes.append([
    { ...assetEvent(config, "asset.uploaded", row, row.created_by, summary), run_id: row.run_id },
  ]);
  return row;
}

const taskOf = ({ issue, task }: Pick<AssetRow, "issue" | "task">) => ({ issue, task });

async function requireNewest(writes: LibraryWrites, id: string, project: string): Promise<AssetRow> {
  const parent = await writes.asset(null, id);
  if (!parent) throw notFound(`No asset with id '${id}' to replace.`, "asset");
  if (parent.project !== project) throw badRequest(`replaces: ${id} belongs to another project.`);
  const newest = (await writes.versions(parent.root_id)).at(-1);
  if (newest?.id !== id) throw conflict(`${id} is not the newest version. Replace ${newest?.id} instead.`);
  return parent;
}

/** The event names its asset by the URL of the asset's page. */
export const assetEvent = (
  config: Pick<Config, "siteUrl">,
  kind:
    | `asset.${"uploaded" | "reviewed" | "published" | "unpublished" | "deleted" | "commented" | "addressed"}`
    | `review.${"requested" | "overdue" | "given"}`
    | `share.${"created" | "renewed" | "revoked"}`,
  { id, project, issue, task, pr }: Pick<AssetRow, "id" | "project" | "issue" | "task" | "pr">,
  actor: string,
  summary: string,
) => ({
  kind,
  actor: eventActor(actor),
  summary,
  project,
  issue: issueOnly(issue),
  task,
  pr,
  url: assetPageUrl(config, id),
});
