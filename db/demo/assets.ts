/** Chains of versions → rows, what the feed says of them, and the decisions that rejections became. */
import { ulid } from "ulid";
import { mediaPath } from "../../src/assets/schema.ts";
import { dayMicros, type Micros } from "../../src/lib/time.ts";
import type { AssetRow, NewNote } from "../../src/rows.ts";
import { minute } from "./calendar.ts";
import type { Chain } from "./chain.ts";
import type { Draft } from "./draft.ts";
import type { Life } from "./host.ts";
import type { Circumstances } from "./life.ts";
import { seenOf } from "./media.ts";
import type { Decided } from "./memory.ts";
import type { Random } from "./random.ts";

const retention = 30 * dayMicros;

export interface Shelf {
  rows: AssetRow[];
  drafts: Draft[];
  rejections: Decided[];
  /** What reviews said that approved. */
  notes: NewNote[];
}

/** As much of a chain as has happened until now. */
export function shelve(
  chain: Chain,
  { issue, pull, opened, project }: Life,
  { calendar, random }: Circumstances,
): Shelf {
  const shelf: Shelf = { rows: [], drafts: [], rejections: [], notes: [] };
  const reviewer = random.pick(project.reviewers.filter((name) => name !== chain.by));
  const tell = (
    row: AssetRow,
    at: Micros,
    kind: "asset.uploaded" | "asset.reviewed" | "asset.published",
    actor: string,
    verb: string,
  ) => {
    const summary = `${verb} ${row.title}, version ${row.version}`;
    const event = () => {
      // What its issue and its pull request are called is known by then.
      if (kind === "asset.uploaded") Object.assign(row, { issue: issue.number, pr: pull.number || null });
      return { kind, actor, summary, project: row.project, issue: row.issue, pr: row.pr };
    };
    shelf.drafts.push({ at, event });
  };

  let at = opened + random.between(60, 220) * minute;
  for (const { review, note = null, published } of chain.versions) {
    const created_at = calendar.atWork(at) + random.between(1, 999_999);
    if (created_at >= calendar.now) break;
    const before = shelf.rows.at(-1);
    if (before) Object.assign(before, { status: "superseded", expires_at: created_at + retention });
    const row = pendingRow(project.slug, chain, before, created_at, random);
    shelf.rows.push(row);
    tell(row, created_at, "asset.uploaded", chain.by.replace(/^token:/, "bot:"), "Uploaded");

    const reviewed_at = calendar.atWork(created_at + random.between(25, 500) * minute);
    if (!review || reviewed_at >= calendar.now) break;
    Object.assign(row, { status: review, reviewed_by: reviewer, reviewed_at, review_note: note });
    tell(row, reviewed_at, "asset.reviewed", reviewer, review === "approved" ? "Approved" : "Rejected");
    if (review === "rejected") {
      row.expires_at = reviewed_at + retention;
      shelf.rejections.push({
        project: row.project,
        at: reviewed_at,
        by: reviewer,
        text: note ?? "",
        source: "review",
        source_ref: row.id,
      });
    } else if (note) {
      shelf.notes.push({
        project: row.project,
        asset: row.id,
        title: row.title,
        text: note,
        actor: reviewer,
        valid_from: reviewed_at,
      });
    }

    const published_at = reviewed_at + random.between(1, 30) * minute;
    if (published && published_at < calendar.now) {
      Object.assign(row, { status: "published", public_url: `${mediaPath}/${row.key}` });
      tell(row, published_at, "asset.published", reviewer, "Published");
    }
    at = reviewed_at + random.between(45, 400) * minute;
  }
  return shelf;
}

function pendingRow(
  project: string,
  chain: Chain,
  before: AssetRow | undefined,
  created_at: Micros,
  random: Random,
): AssetRow {
  const { title, description = null, tags, by, filename } = chain;
  const id = ulid(Math.floor(created_at / 1000), random.next);
  const version = (before?.version ?? 0) + 1;
  return {
    ...{
      id,
      key: `${project}/${id}/${filename}`,
      project,
      title,
      description,
      tags,
      created_by: by,
      created_at,
    },
    ...{ issue: null, pr: null, ...seenOf(project, filename, version) },
    ...{ version, root_id: before?.root_id ?? id, parent_id: before?.id ?? null },
    ...{
      status: "pending",
      reviewed_by: null,
      reviewed_at: null,
      review_note: null,
      public_url: null,
      expires_at: null,
    },
  };
}
