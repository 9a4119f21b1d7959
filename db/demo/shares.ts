/** A share link for someone outside the team, and the places that she marked. */
import { ulid } from "ulid";
import type { Writes } from "../../src/api/port.ts";
import { hashToken } from "../../src/core/auth/token.ts";
import { dayMicros, fromMicros, type Micros, minuteMicros } from "../../src/core/lib/time.ts";
import type { Target } from "../../src/files/probe/marks/schema.ts";
import type { AnnotationRow } from "../../src/library/annotations/rows.ts";
import type { AssetRow } from "../../src/library/rows.ts";
import type { ShareRow, ShareViewRow } from "../../src/library/shares/rows.ts";
import type { ShareAction } from "../../src/library/shares/schema.ts";
import { reviewedTitle } from "./desk-annotations.ts";
import type { TimedEvent } from "./draft.ts";
import { seededRandom } from "./random.ts";

/** Of a link that everyone may try. The documentation names it. */
export const demoShareSecret = "demo-link-of-marit-at-the-harbor-office-svc";

export interface DemoShare {
  row: ShareRow;
  views: Omit<ShareViewRow, "count">[];
  annotations: AnnotationRow[];
  events: TimedEvent[];
}

const guest = "Marit Solheim";
const marks: { body: string; where: string; target: Target }[] = [
  {
    body: "Our guests know this jetty as the old pier.",
    where: "lower left (x 12 %, y 70 %)",
    target: { shape: "point", x: 1200, y: 7000 },
  },
  {
    body: "What do these numbers mean for our guests?",
    where: "right (x 64-84 %, y 59-64 %)",
    target: { shape: "rect", x: 6400, y: 5900, w: 2000, h: 500 },
  },
];

/** Null unless the asset waits for review, and for long enough. @param existing annotations */
export function planShare(
  assets: readonly AssetRow[],
  existing: readonly AnnotationRow[],
  now: Micros,
): DemoShare | null {
  const asset = assets.findLast(
    ({ status, title, created_at }) =>
      status === "pending" && title === reviewedTitle && created_at < now - 60 * minuteMicros,
  );
  if (!asset) return null;
  const { id, project, root_id, sha256, title, version, issue, pr } = asset;
  const created_at = asset.created_at + 17 * minuteMicros + 7;
  const expires_at = created_at + 14 * dayMicros;
  const random = seededRandom(version);
  const row: ShareRow = {
    id: ulid(Math.floor(created_at / 1_000), random.next),
    hash: hashToken(demoShareSecret),
    project,
    asset: id,
    root_id,
    follows: "latest",
    rights: "verdict",
    annotations: "all",
    role: null,
    recipient: "Marit at the harbor office",
    expires_at,
    passphrase: null,
    allow_download: false,
    created_by: "human:jonas",
    creator: null,
    created_at,
    revoked_at: null,
    revoked_by: null,
    reviewer: null,
    views: 0,
  };
  const openedAt = created_at + 20 * minuteMicros;
  const visit = (action: ShareAction, at: Micros, name: string | null = null) => ({
    share: row.id,
    network: "198.51.100.0/24",
    name,
    action,
    at,
    slot: `demo-${action}-${at % minuteMicros}`.padEnd(26, "-").slice(0, 26),
    ...(action === "opened" ? { asset: null, sha256: null } : { asset: id, sha256 }),
  });
  const highest = Math.max(0, ...existing.filter(({ chain }) => chain === root_id).map(({ n }) => n));
  const annotations = marks.map(({ body, target }, index): AnnotationRow => {
    const at = openedAt + (index + 1) * 2 * minuteMicros + index;
    return {
      id: ulid(Math.floor(at / 1_000), random.next),
      n: highest + index + 1,
      project,
      chain: root_id,
      asset_id: id,
      version,
      sha256,
      parent_id: null,
      weight: "should",
      body,
      target,
      created_at: at,
      by: "human:Marit-Solheim(not-verified)",
      reader: `share:${row.id}`,
      origin: "share",
      state: "open",
      state_by: null,
      state_at: null,
      addressed_in: null,
      honoured_version: null,
      reopened: 0,
      urgent_at: null,
    };
  });
  const event = { project, issue, pr };
  const until = fromMicros(expires_at).slice(0, "2026-01-02T03:04".length).replace("T", " ");
  return {
    row,
    annotations,
    views: [
      ...[visit("opened", openedAt), visit("viewed", openedAt + 1)],
      ...annotations.map(({ created_at }) => visit("commented", created_at, guest)),
    ],
    events: [
      {
        ...event,
        ts: created_at,
        kind: "share.created",
        actor: row.created_by,
        summary: `Shared ${title}, version ${version}, by a link (verdict) until ${until} UTC`,
      },
      ...annotations.map(
        ({ n, by, body, created_at: ts }, index): TimedEvent => ({
          ...event,
          ts,
          kind: "asset.commented",
          actor: by,
          summary: `Annotated ${title}, version ${version}: ${n}. [should] ${marks[index]?.where}: ${body}`,
        }),
      ),
    ],
  };
}

export async function addShare(writes: Writes, { row, views }: DemoShare): Promise<void> {
  await writes.addShare(row);
  for (const view of views) await writes.addShareView(view);
}
