/** Turns demo assets into rows, feed events, and the decisions that rejections create. */
import { ulid } from "ulid";
import { dayMicros, type Micros } from "../../../src/core/lib/time.ts";
import { mediaPath } from "../../../src/library/assets/schema.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { reviewSummary } from "../../../src/library/verdicts/review-summary.ts";
import type { NewNote } from "../../../src/memory/rows.ts";
import { minute } from "../calendar.ts";
import type { EventDraft, NumberedItem } from "../draft.ts";
import type { DemoDecision } from "../memory.ts";
import { type Random, seededRandom } from "../random.ts";
import type { ScheduledTask } from "../tasks/host.ts";
import { runIdOf } from "../tasks/run.ts";
import { assetRun } from "../tasks/run-stories.ts";
import type { Simulation } from "../tasks/task-events.ts";
import type { AssetChain } from "./asset-versions.ts";
import { mediaProperties } from "./media.ts";
import type { DemoReview } from "./reopened-issues.ts";

const retention = 30 * dayMicros;

export interface AssetHistory {
  rows: AssetRow[];
  drafts: EventDraft[];
  rejections: DemoDecision[];
  /** Notes of approving reviews. */
  notes: NewNote[];
  scheduled: ScheduledTask;
  reviews: DemoReview[];
}

/** The versions, reviews and events of an asset up to now. */
export function assetHistory(
  chain: AssetChain,
  scheduled: ScheduledTask,
  { calendar, random, lanes, runs }: Simulation,
): AssetHistory {
  const { issue, pull, opened, project } = scheduled;
  const history: AssetHistory = { rows: [], drafts: [], rejections: [], notes: [], scheduled, reviews: [] };
  const reviewer = random.pick(project.reviewers.filter((name) => name !== chain.by));
  const addEvent = (
    row: AssetRow,
    at: Micros,
    kind: "asset.uploaded" | "asset.reviewed" | "asset.published",
    actor: string,
    summarize: (what: string) => string,
    madeBy?: NumberedItem,
  ) => {
    const summary = summarize(`${row.title}, version ${row.version}`);
    const event = () => {
      // Issue and pull request have their numbers by then.
      if (kind === "asset.uploaded")
        Object.assign(row, {
          issue: issue.number,
          pr: pull.number || null,
          run_id: madeBy ? runIdOf(madeBy) : null,
        });
      const run = kind === "asset.uploaded" && { run_id: row.run_id };
      return { kind, actor, summary, project: row.project, issue: row.issue, pr: row.pr, ...run };
    };
    history.drafts.push({ at, event });
  };

  const story = {
    scheduled,
    lanes,
    runs,
    agent: chain.by,
    intent: chain.title,
    random: seededRandom(chain.filename.length + opened),
  };
  let at = opened + random.between(60, 220) * minute;
  for (const { review, note = null, published } of chain.versions) {
    const created_at = calendar.atWork(at) + random.between(1, 999_999);
    if (created_at >= calendar.now) break;
    const before = history.rows.at(-1);
    if (before) Object.assign(before, { status: "superseded", expires_at: created_at + retention });
    const row = pendingRow(project.slug, chain, before, created_at, random);
    history.rows.push(row);
    const run = chain.by.startsWith("agent:")
      ? assetRun(story, chain.title, row.version, created_at)
      : undefined;
    history.drafts.push(...(run?.drafts ?? []));
    const uploader = chain.by.replace(/^token:/, "bot:");
    addEvent(row, created_at, "asset.uploaded", uploader, (what) => `Uploaded ${what}`, run?.self);

    const reviewed_at = calendar.atWork(created_at + random.between(25, 500) * minute);
    if (!review || reviewed_at >= calendar.now) break;
    history.reviews.push({ at: reviewed_at, by: reviewer, decision: review });
    Object.assign(row, { status: review, reviewed_by: reviewer, reviewed_at, review_note: note });
    addEvent(row, reviewed_at, "asset.reviewed", reviewer, (what) => reviewSummary(review, what));
    if (review === "rejected") {
      row.expires_at = reviewed_at + retention;
      history.rejections.push({
        project: row.project,
        at: reviewed_at,
        by: reviewer,
        text: note ?? "",
        source: "review",
        source_ref: row.id,
      });
    } else if (note) {
      history.notes.push({
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
      addEvent(row, published_at, "asset.published", reviewer, (what) => `Published ${what}`);
    }
    at = reviewed_at + random.between(45, 400) * minute;
  }
  return history;
}

function pendingRow(
  project: string,
  chain: AssetChain,
  before: AssetRow | undefined,
  created_at: Micros,
  random: Random,
): AssetRow {
  const { title, description = null, tags, by, filename } = chain;
  const id = ulid(Math.floor(created_at / 1000), random.next);
  const version = (before?.version ?? 0) + 1;
  return {
    id,
    key: `${project}/${id}/${filename}`,
    project,
    title,
    description,
    tags,
    created_by: by,
    uploader: null,
    set: null,
    repeats: null,
    created_at,
    issue: null,
    pr: null,
    run_id: null,
    ...mediaProperties(project, filename, version),
    version,
    root_id: before?.root_id ?? id,
    parent_id: before?.id ?? null,
    status: "pending",
    reviewed_by: null,
    reviewed_at: null,
    review_note: null,
    public_url: null,
    expires_at: null,
  };
}
