/** Makes a backup of a library, and an empty one to restore it into. */
import type { End } from "../../../src/api/backup/archive.ts";
import type { Dialect } from "../harness.ts";
import { type Library, openLibrary, type StorePlace } from "../library.ts";

export const reports = { onBytes() {}, onEnd(_: End) {}, onStep() {} };
const audit = {
  who: "human:ana",
  via: "cli" as const,
  what: "restore",
  project: null,
  target: null,
  address: null,
  request: null,
};
export const options = { ...reports, force: false, bytes: true, takeOver: false, audit };

export const directions = [
  { from: ["sqlite", "disk"], to: ["postgres", "bucket"] },
  { from: ["postgres", "bucket"], to: ["sqlite", "disk"] },
] as const;

/** An empty deployment, without a project. */
export async function openEmpty([dialect, place]: readonly [Dialect, StorePlace]): Promise<Library> {
  const library = await openLibrary(dialect, place);
  await library.ctx.data.replaceAllRows(async () => {});
  return library;
}
