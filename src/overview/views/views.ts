/** The views that a person saved: one list for their sessions and their tokens. */
import { requireToken } from "../../core/auth/authorization.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import type { OverviewContext } from "../context.ts";
import type { SavedView, SavedViews } from "./schema.ts";

/** @throws {Problem} 401 without a token */
function requireReader({ config }: OverviewContext, caller: Caller): string {
  requireToken(caller, config);
  return readerOf(caller) as string; // safe because: a token has a name
}

export async function loadViews(
  ctx: OverviewContext,
  { path }: Pick<SavedView, "path">,
  caller: Caller,
): Promise<SavedViews> {
  return { views: await ctx.data.savedViews(requireReader(ctx, caller), path) };
}

/** Saves a view, in place of one with the same name. @returns the views of its list */
export async function storeView(ctx: OverviewContext, view: SavedView, caller: Caller): Promise<SavedViews> {
  const reader = requireReader(ctx, caller);
  await ctx.data.atomically((writes) => writes.saveView(reader, view));
  return loadViews(ctx, view, caller);
}

/** @returns the views of the list that are left */
export async function deleteView(
  ctx: OverviewContext,
  view: Pick<SavedView, "path" | "name">,
  caller: Caller,
): Promise<SavedViews> {
  const reader = requireReader(ctx, caller);
  await ctx.data.atomically((writes) => writes.removeView(reader, view));
  return loadViews(ctx, view, caller);
}
