/** The archives of the plugins for a deployment. */
import { fileText, type PluginFiles } from "./plugin.ts";

/** The same files make the same archive: its hash is its version. */
const lastModDate = new Date("2026-01-01T00:00:00Z");

/** A ZIP file with the files of a plugin at its top. */
export async function archiveOf(files: PluginFiles): Promise<Uint8Array<ArrayBuffer>> {
  const zip = await import("@zip.js/zip.js/lib/zip-core-external.js"); // 260 KB that few servers need
  const options = { level: 0, useWebWorkers: false, extendedTimestamp: false, lastModDate };
  const archive = new zip.ZipWriter(new zip.Uint8ArrayWriter(), options);
  for (const [path, content] of Object.entries(files))
    await archive.add(path, new zip.TextReader(fileText(content)));
  return archive.close();
}
