/** Bytes that no row answers for: what a crash left, or a refused call. */
import type { Context } from "../context.ts";
import type { Micros } from "../lib/time.ts";
import type { Store } from "../stores/store.ts";
import { takeBack } from "./publish.ts";

interface Found {
  key: string;
  project: string;
  id: string;
}

/** Between these times something was kept. */
interface Span {
  after: Micros;
  before: Micros;
}

const batch = 100;

/**
 * Removes those that are older than `before`, and no older than the database: what was there before it is
 * another one's, and an operator who starts on a wrong or a new database must not lose a library. @returns
 * how many
 */
export async function sweepOrphans(
  ctx: Context,
  { store, publicStore }: Pick<Context, "store" | "publicStore">,
  before: Micros,
): Promise<number> {
  const span = { after: await ctx.data.createdAt(), before };
  let count = 0;
  if (store) count += await sweepPrivate(ctx, store, span);
  if (publicStore) count += await sweepPublic(ctx, publicStore, span);
  return count;
}

async function sweepPrivate(ctx: Context, store: Store, span: Span): Promise<number> {
  let count = 0;
  for await (const found of keptIn(store, span)) {
    const kept = await keptOf(found);
    for (const one of found.filter(({ key }) => !kept.has(key))) {
      if (await ctx.data.upload(one.id)) continue;
      // A finalize may have made an asset of the reservation since, so it is asked in this order.
      if ((await keptOf([one])).size > 0) continue;
      await store.delete(one.key);
      count++;
    }
  }
  return count + (await store.sweep(new Date(span.before / 1000)));

  /** The keys whose asset has its bytes. What is pending belongs to none. */
  async function keptOf(found: Found[]): Promise<Set<string>> {
    const assets = await ctx.data.assetsWithFile(idsOf(found), "key");
    return new Set(
      found.filter(({ project, id }) => assets.has(id) && project !== "_pending").map(({ key }) => key),
    );
  }
}

/** A publication copies first, so a copy without one may be on its way, or was left. */
async function sweepPublic(ctx: Context, publicStore: Store, span: Span): Promise<number> {
  let count = 0;
  for await (const found of keptIn(publicStore, span)) {
    const published = await ctx.data.assetsWithFile(idsOf(found), "public_url");
    const left = found.filter(({ id }) => !published.has(id));
    for (const one of new Map(left.map((one) => [one.id, one])).values())
      await takeBack(ctx, publicStore, one);
    count += left.length;
  }
  return count + (await publicStore.sweep(new Date(span.before / 1000)));
}

const idsOf = (found: Found[]): string[] => [...new Set(found.map(({ id }) => id))];

async function* keptIn(store: Store, { after, before }: Span): AsyncGenerator<Found[]> {
  let found: Found[] = [];
  for await (const { key, modifiedAt } of store.list("")) {
    const [project, id] = key.split("/");
    const at = modifiedAt.getTime() * 1000;
    if (project === undefined || id === undefined || at < after || at > before) continue;
    found.push({ key, project, id });
    if (found.length < batch) continue;
    yield found;
    found = [];
  }
  if (found.length > 0) yield found;
}
