/** Marks of reviewers on two rejected assets of a project, and what became of them in the next versions. */
import { ulid } from "ulid";
import type { Micros } from "../../src/core/lib/time.ts";
import type { Target, Weight } from "../../src/files/probe/marks/schema.ts";
import type { AnnotationRow } from "../../src/library/annotations/rows.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import { minute } from "./calendar.ts";
import type { TimedEvent } from "./draft.ts";
import { seededRandom } from "./random.ts";

interface Mark {
  weight: Weight;
  body: string;
  target: Target;
  /** Reopened once, by the reviewer of the second version. */
  isReopened?: true;
}

/** By the title of the asset. */
const marks: Record<string, readonly Mark[]> = {
  "Berth map from the water side": [
    {
      weight: "must",
      body: "The names of jetties A, B and C run into each other.",
      target: { shape: "rect", x: 2900, y: 6550, w: 2850, h: 600 },
    },
    {
      weight: "should",
      body: "This berth is free, and looks taken.",
      target: { shape: "point", x: 6400, y: 5200 },
    },
    {
      weight: "nit",
      body: "The legend is closer to the edge than on the desk.",
      isReopened: true,
      target: { shape: "point", x: 9100, y: 900 },
    },
  ],
  "Date picker by keyboard": [
    { weight: "must", body: "The name of a real guest.", target: { t_ms: 1_200, t_end_ms: 2_400 } },
    {
      weight: "should",
      body: "The focus ring cannot be seen here.",
      isReopened: true,
      target: { t_ms: 3_000, shape: "rect", x: 3800, y: 4200, w: 2400, h: 900 },
    },
  ],
};

export interface DemoAnnotations {
  rows: AnnotationRow[];
  events: TimedEvent[];
}

/** @param assets with those of the project */
export function planAnnotations(project: string, assets: readonly AssetRow[], now: Micros): DemoAnnotations {
  const planned: DemoAnnotations = { rows: [], events: [] };
  for (const [title, ofAsset] of Object.entries(marks)) {
    const versions = assets.filter((asset) => asset.project === project && asset.title === title);
    const [first, second] = versions;
    if (!first?.reviewed_at) continue;
    const rows = ofAsset.map((mark, index) => rowOf(mark, index + 1, first, first.reviewed_at as Micros));
    planned.rows.push(...rows);
    if (second?.reviewed_at && second.reviewed_at < now) answer(planned, ofAsset, rows, second);
  }
  return planned;
}

function rowOf({ weight, body, target }: Mark, n: number, asset: AssetRow, at: Micros): AnnotationRow {
  const by = asset.reviewed_by as string;
  const reader = by.replace(/^human:/, "");
  const random = seededRandom(n + asset.title.length);
  return {
    id: ulid(Math.floor(at / 1000) - 60_000 + n, random.next),
    n,
    project: asset.project,
    chain: asset.root_id,
    asset_id: asset.id,
    version: asset.version,
    sha256: asset.sha256,
    parent_id: null,
    weight,
    body,
    target,
    by,
    reader,
    origin: "web",
    created_at: at - minute,
    state: "open",
    state_by: by,
    state_at: at,
    addressed_in: null,
    reopened: 0,
    honoured_version: null,
    urgent_at: null,
  };
}

/** The agent says that all are done in the second version; its reviewer confirms those that are. */
function answer(
  { events }: DemoAnnotations,
  ofAsset: readonly Mark[],
  rows: AnnotationRow[],
  second: AssetRow,
): void {
  const { project, issue, pr, title, version } = second;
  const [at, reviewer] = [second.reviewed_at as Micros, second.reviewed_by as string];
  const event = (kind: TimedEvent["kind"], ts: Micros, actor: string, summary: string): TimedEvent => ({
    kind,
    ts,
    actor,
    summary,
    project,
    issue,
    pr,
  });
  const numbers = new Intl.ListFormat("en").format(rows.map(({ n }) => String(n)));
  const addressed = `Addressed annotations ${numbers} in ${title}, version ${version}`;
  events.push(event("asset.addressed", second.created_at + 3, second.created_by, addressed));
  for (const [index, row] of rows.entries()) {
    const isReopened = ofAsset[index]?.isReopened === true;
    Object.assign(row, { addressed_in: second.id, state_by: reviewer, state_at: at - 5 + index });
    Object.assign(row, isReopened ? { reopened: 1 } : { state: "honoured", honoured_version: version });
    if (!isReopened) continue;
    const reopened = `Reopened an annotation on ${title}, version ${version}: ${row.body}`;
    events.push(event("asset.commented", at - 5 + index, reviewer, reopened));
  }
}
