/** The library: one asset, its chain, the list; rows as they go out. */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { cursorOf, readCursor } from "../lib/cursor.ts";
import { noAsset } from "../problem.ts";
import type { AssetRow, ProjectRow } from "../rows.ts";
import { Json } from "../wire.ts";
import { absolute, addressesOf, withPublicUrl } from "./asset-urls.ts";
import { type Asset, type AssetDetail, type AssetList, type AssetsQuery, shownOf } from "./schema.ts";

export async function listAssets(
  ctx: Context,
  { limit = 50, cursor, ...filter }: AssetsQuery,
  caller: Caller,
): Promise<Json<AssetList>> {
  const rows = await ctx.data.renderedAssets(caller.projects, {
    ...filter,
    limit: limit + 1,
    ...(cursor !== undefined && { after: readPosition(cursor) }),
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const assets = page.map(
    (row) => `${withPublicUrl(ctx, row.wire).slice(0, -1)},${addressesOf(ctx, kept(ctx, row)).wire.slice(1)}`,
  );
  const next = rows.length > limit && last ? `"${positionOf(last)}"` : "null";
  return new Json(`{"assets":[${assets}],"count":${page.length},"next_cursor":${next}}`);
}

export async function getAsset(ctx: Context, id: string, caller: Caller): Promise<AssetDetail> {
  const row = await requireAsset(ctx, id, caller);
  const [chain, project] = await Promise.all([
    ctx.data.versions(row.root_id),
    ctx.data.project(null, row.project),
  ]);
  const versions = chain.map((one) => toAsset(ctx, one));
  return {
    ...toAsset(ctx, row),
    versions: versions.map(({ id, version, status, created_at, created_by, thumb_url }) => ({
      id,
      version,
      status,
      created_at,
      created_by,
      thumb_url,
    })),
    task_url: project && taskUrl(ctx.config.githubApiUrl, project, row),
  };
}

/** The row of an asset that this caller may see, or 404: to it, others do not exist. */
export async function requireAsset(
  { data }: Pick<Context, "data">,
  id: string,
  caller: Pick<Caller, "projects">,
): Promise<AssetRow> {
  const row = await data.asset(caller.projects, id);
  if (!row) throw noAsset(id);
  return row;
}

export const toAsset = (ctx: Context, row: AssetRow): Asset => ({
  ...shownOf(row),
  public_url: absolute(ctx, row.public_url),
  ...addressesOf(ctx, kept(ctx, row)).addresses,
});

/** Without a store (mock mode, a deployment that keeps no bytes) there is nothing behind an address. */
const kept = <R extends Pick<AssetRow, "key">>({ store }: Context, row: R): R =>
  store === null ? { ...row, key: null } : row;

/** The issue or pull request at the source host whose API this is; the pull request, where both are named. */
export function taskUrl(
  apiUrl: string,
  project: Pick<ProjectRow, "repo">,
  { issue, pr }: Pick<AssetRow, "issue" | "pr">,
): string | null {
  const task = pr !== null ? `pull/${pr}` : issue !== null ? `issues/${issue}` : null;
  return task && `${hostOf(apiUrl)}/${project.repo}/${task}`;
}

/** Site of the source host whose API this is. */
export function hostOf(apiUrl: string): string {
  const { origin, host } = new URL(apiUrl);
  return host === "api.github.com" ? "https://github.com" : origin;
}

type Position = Pick<AssetRow, "status" | "created_at" | "id">;

/** The position alone: when it was made, whether it waits for a review, its id. */
const positionOf = ({ status, created_at, id }: Position): string =>
  cursorOf(created_at, (status === "pending" ? "1" : "0") + id);

function readPosition(cursor: string): Position {
  const { ts, rest } = readCursor(cursor);
  return { status: rest.startsWith("1") ? "pending" : "approved", created_at: ts ?? 0, id: rest.slice(1) };
}
