/** What a reviewer marked on a rejected image, and what its next version, which waits for review, made of it. */
import { ulid } from "ulid";
import type { Target, Weight } from "../../src/files/probe/marks/schema.ts";
import type { AnnotationRow } from "../../src/library/annotations/rows.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import type { DemoAnnotations } from "./annotations.ts";
import { minute } from "./calendar.ts";
import { seededRandom } from "./random.ts";

interface Mark {
  body: string;
  weight: Weight;
  target: Target | null;
  state: "open" | "addressed" | "honoured";
  reply?: string;
}

export const reviewedTitle = "Night palette of the desk";
const marks: Mark[] = [
  {
    body: "Free berths have a contrast of 2.9. They need 4.5.",
    weight: "must",
    target: { shape: "rect", x: 600, y: 3000, w: 5200, h: 4000 },
    state: "addressed",
    reply: "Raised to 5.1, measured on the night background.",
  },
  {
    body: "The heading glows more than the map.",
    weight: "should",
    target: { shape: "point", x: 1400, y: 620 },
    state: "honoured",
  },
  {
    body: "The quay is as dark as the water here.",
    weight: "nit",
    target: {
      shape: "path",
      points: [
        [420, 5900],
        [420, 7100],
        [560, 7500],
        [820, 7800],
      ],
    },
    state: "open",
  },
];

/** @param assets with the two versions of the image: the first rejected, the second waiting */
export function planDeskAnnotations(assets: readonly AssetRow[]): DemoAnnotations {
  const [first, second] = assets.filter((asset) => asset.title === reviewedTitle);
  if (!first || !second) return { rows: [], events: [] };
  const rows = rowsOf(first, second);
  const { created_by: actor, project, issue, pr, version } = second;
  const event = { actor, project, issue, pr, ts: second.created_at + minute };
  const addressed = `Addressed annotations 1 and 2 in ${reviewedTitle}, version ${version}`;
  const replies = rows
    .filter(({ parent_id }) => parent_id !== null)
    .map(({ n, body }) => `${n}. reply: ${body}`);
  return {
    rows,
    events: [
      { ...event, kind: "asset.addressed", summary: addressed },
      ...replies.map((line) => ({
        ...event,
        kind: "asset.commented" as const,
        summary: `Replied on ${reviewedTitle}, version ${version}: ${line}`,
      })),
    ],
  };
}

function rowsOf(first: AssetRow, second: AssetRow): AnnotationRow[] {
  const reviewer = first.reviewed_by;
  if (!reviewer || first.reviewed_at === null) return [];
  const at = first.reviewed_at;
  const random = seededRandom(at % 1_000_000);
  const rowOf = (created_at: number, fields: Partial<AnnotationRow>): AnnotationRow => ({
    id: ulid(Math.floor(created_at / 1000), random.next),
    project: first.project,
    chain: first.root_id,
    asset_id: first.id,
    version: first.version,
    sha256: first.sha256,
    n: 1,
    parent_id: null,
    body: "",
    weight: "must",
    by: reviewer,
    reader: reviewer.replace(/^human:/, ""),
    origin: "web",
    created_at,
    state: "open",
    state_by: reviewer,
    state_at: at,
    addressed_in: null,
    honoured_version: null,
    reopened: 0,
    urgent_at: null,
    target: null,
    ...fields,
  });
  return marks.flatMap(({ reply, state, ...mark }, index) => {
    const n = index + 1;
    const settled = second.created_at + n * minute;
    const by = state === "honoured" ? reviewer : second.created_by;
    const root = rowOf(at - (marks.length - index) * minute, {
      ...mark,
      n,
      state,
      ...(state !== "open" && { state_by: by, state_at: settled, addressed_in: second.id }),
      ...(state === "honoured" && { honoured_version: second.version }),
    });
    const answer = { n, parent_id: root.id, body: reply ?? "", weight: mark.weight, by: second.created_by };
    return reply ? [root, rowOf(settled, { ...answer, reader: second.created_by })] : [root];
  });
}
