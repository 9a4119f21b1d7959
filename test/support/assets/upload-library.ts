/** A library with small limits for uploads, and the check that a refused upload leaves nothing. */
import { link, until } from "../harness.ts";
import { type Library, openLibrary } from "../library.ts";

export async function openUploadLibrary(
  dialect: Parameters<typeof openLibrary>[0],
  place: Parameters<typeof openLibrary>[1],
): Promise<Library> {
  const library = await openLibrary(dialect, place, {
    SVC_MAX_UPLOAD_BYTES: "100000",
    SVC_UPLOAD_TTL: "600",
    SVC_GITHUB_TOKEN: "a token",
  });
  await link(library.ctx.data, "borealis");
  return library;
}

/** The calls within are refused: no row, no event and no file of them may stay. */
export async function leavingNothing(library: Library, work: () => Promise<void>): Promise<void> {
  /** The uploaded file of an asset is deleted after the response. */
  const keys = async () => {
    const all = await library.keys();
    const pending = all.filter((key) => key.startsWith("_pending/"));
    const done = await Promise.all(
      pending.map((key) => library.ctx.data.asset(null, key.slice("_pending/".length))),
    );
    return all.filter((key) => !done[pending.indexOf(key)]);
  };
  const state = async () =>
    JSON.stringify([(await library.say("/assets?limit=200")).body, await library.events(), await keys()]);
  const before = await state();
  await work();
  await until(async () => (await state()) === before, "everything is as it was");
}
