/** Which asset an id, a hash, or a URL names, its version, and who reviewed it. */
import { actorLabel } from "../../core/auth/actor-name.ts";
import { fromMicros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import { publicUrlOf } from "../../library/assets/rendered-asset.ts";
import type { AssetStatus } from "../../library/assets/schema.ts";
import type { AssetRow } from "../../library/rows.ts";
import { verdictsOfReplaced } from "../../library/verdicts/approvals.ts";
import type { OverviewContext } from "../context.ts";
import type { Found } from "./result.ts";

const assetId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export async function loadAsset(
  ctx: OverviewContext,
  name: string,
  projects: Projects,
): Promise<Found | null> {
  const id = name.toUpperCase();
  const row = assetId.test(id) ? await ctx.data.asset(projects, id) : null;
  return row && toFound(ctx, row);
}

const hash = /^(?:sha256:)?([0-9a-f]{64})$/i;

/** Of several assets with the same file, the one that was decided on most recently and in its favor. */
const preference: AssetStatus[] = ["published", "approved", "pending", "rejected", "superseded"];
const sameFileMax = 50;

/** The asset whose file, or a file of whose bundle, has this SHA-256. */
export async function findByHash(
  ctx: OverviewContext,
  name: string,
  projects: Projects,
): Promise<Found | null> {
  const file_sha256 = hash.exec(name)?.[1]?.toLowerCase();
  if (file_sha256 === undefined) return null;
  const rows = await ctx.data.assets(projects, { file_sha256, limit: sameFileMax });
  const rankOf = ({ status }: (typeof rows)[number]) => preference.indexOf(status);
  const [best] = rows.toSorted((a, b) => rankOf(a) - rankOf(b) || b.created_at - a.created_at);
  const row = best ? await ctx.data.asset(projects, best.id) : null;
  return row && toFound(ctx, row);
}

/** The asset of a URL that has its id in the path: that of its public file, or of its page. */
export async function findByUrl(
  ctx: OverviewContext,
  name: string,
  projects: Projects,
): Promise<Found | null> {
  const url = URL.parse(name);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const id = url.pathname.split("/").find((part) => assetId.test(part));
  const row = id === undefined ? null : await ctx.data.asset(projects, id);
  if (!row) return null;
  const isOurs = url.origin === new URL(ctx.config.siteUrl).origin;
  return isOurs || isPublicUrl(publicUrlOf(ctx, row.public_url), url) ? toFound(ctx, row) : null;
}

/** A bundle is published with its index, whose siblings are below the same URL. */
function isPublicUrl(published: string | null, { origin, pathname }: URL): boolean {
  if (published === null) return false;
  const folder = new URL(".", published);
  return origin === folder.origin && pathname.startsWith(folder.pathname);
}

async function toFound(ctx: OverviewContext, row: AssetRow): Promise<Found> {
  const { id, project, title, created_at } = row;
  return {
    type: "asset",
    id,
    project,
    title,
    text: await reviewText(ctx, row),
    path: `/assets/${id}`,
    at: created_at,
  };
}

/** `Version 1 of 2, rejected by jonas on 2026-11-26, replaced` */
async function reviewText({ data, config }: OverviewContext, row: AssetRow): Promise<string> {
  const { id, project, version, status, reviewed_by, reviewed_at, root_id } = row;
  const chain = await data.versions(root_id);
  const replaced = await verdictsOfReplaced(data, project, chain);
  const verdict = status === "superseded" ? (replaced.get(id) ?? "not reviewed") : status;
  const by =
    reviewed_by === null || verdict === "not reviewed" ? "" : ` by ${actorLabel(reviewed_by, config)}`;
  const on =
    reviewed_at === null || verdict === "not reviewed" ? "" : ` on ${fromMicros(reviewed_at).slice(0, 10)}`;
  const facts = [
    chain.length > 1 ? `Version ${version} of ${chain.length}` : `Version ${version}`,
    verdict === "published" ? `published, approved${by}${on}` : `${verdict}${by}${on}`,
    ...(status === "superseded" ? ["replaced"] : []),
  ];
  return facts.join(", ");
}
