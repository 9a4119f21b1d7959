/** The review queue by project: how many assets are pending, and the oldest of them. */
import { inArray, type SQL, sql } from "drizzle-orm";
import { renderAsset } from "../../src/assets/rendered-asset.ts";
import type { AssetRow, Projects } from "../../src/rows.ts";
import type { TodayReads } from "../../src/today/port.ts";
import { assetById } from "../assets/asset-pages.ts";
import type { Session } from "../engine/session.ts";
import { allRows, elements, literalCount } from "../query/sql.ts";

interface Queue {
  project: string;
  count: number;
  since: number;
  /** The ids of its oldest assets, separated by commas. */
  ids: string;
}

export const pendingReviewReads = (session: Session): Pick<TodayReads, "pendingReviews" | "assetsById"> => ({
  async pendingReviews(projects, limits) {
    const queues = await allRows<Queue>(session, queuesOf(session, projects, limits));
    return queues.map(({ project, count, since, ids }) => ({
      ...{ project, count: Number(count), since: Number(since) },
      oldest: ids.split(","),
    }));
  },
  async assetsById(ids) {
    if (ids.length === 0) return [];
    const { assets } = session.t;
    const { id, status, created_at, key, has_thumb, bundle_index, wire } = assets;
    const rows = await session.db
      .select({ id, status, created_at, key, has_thumb, bundle_index, wire })
      .from(assets)
      .where(inArray(id, [...ids]));
    const render = async (id: string) => renderAsset((await assetById(session, id)) as AssetRow);
    return Promise.all(rows.map(async (row) => ({ ...row, wire: row.wire ?? (await render(row.id)) })));
  },
});

type Limits = Parameters<TodayReads["pendingReviews"]>[1];

/** Every subquery reads the first entries of a range of the index `assets_pending`. */
function queuesOf(session: Session, projects: Projects, limits: Limits): SQL {
  const pending = sql`assets where waiting = 1 and project = queue.project order by created_at, id`;
  const first = (count: number) => sql`${pending} limit ${literalCount(count)}`;
  return sql`${projects ? listed(session, projects) : skipScan(limits.projects)}
    select project, (select created_at from ${first(1)}) as since,
      (select count(*) from (select id from ${first(limits.count)}) as counted) as count,
      (select string_agg(id, ',') from (select id from ${first(limits.oldest)}) as shown) as ids
    from queue where project > '' and
      exists (select 1 from assets where waiting = 1 and assets.project = queue.project)
    limit ${literalCount(limits.projects)}`;
}

const listed = ({ dialect }: Session, projects: readonly string[]): SQL =>
  sql`with queue (project) as (select value from ${elements(dialect, projects)})`;

/** The projects with pending assets, in one seek each ("loose index scan"). */
const skipScan = (max: number): SQL =>
  sql`with recursive queue (project, n) as (
    select cast('' as text), 0 union all
    select (select assets.project from assets where waiting = 1 and assets.project > queue.project
      order by assets.project limit 1), n + 1
    from queue where queue.project is not null and n < ${literalCount(max)})`;
