/** What every way to upload requires: a store, and a reservation that is not finalized. */
import type { Caller } from "../../../core/auth/caller.ts";
import { conflict, notFound, notImplemented } from "../../../core/problem.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { UploadRow } from "../../rows.ts";

/** @throws {Problem} 501 */
export function requireStore({ store }: LibraryContext): Store {
  if (!store) throw notImplemented("This deployment has no asset store.");
  return store;
}

/** @throws {Problem} 409 for an upload that was finalized, 404 for one that the caller cannot access */
export async function requireReserved(
  ctx: LibraryContext,
  id: string,
  caller: Pick<Caller, "projects">,
): Promise<UploadRow> {
  const upload = await ctx.data.upload(id);
  if (upload && (!caller.projects || caller.projects.includes(upload.project))) return upload;
  await requireNotFinalized(ctx, id, caller);
  throw notFound(`No upload with id '${id}'.`, "upload");
}

/** @throws {Problem} 409 */
export async function requireNotFinalized(
  ctx: LibraryContext,
  id: string,
  caller: Pick<Caller, "projects">,
): Promise<void> {
  if (await ctx.data.asset(caller.projects, id)) throw conflict("This upload is already finalized.");
}
