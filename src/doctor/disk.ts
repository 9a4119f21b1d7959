/** The disks of this machine: room on them, and what was left half-way. */
import { lstat, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config, Place } from "../config.ts";
import type { Context } from "../context.ts";
import { temporary } from "../stores/local.ts";
import { secondMicros } from "../time.ts";
import { type Finding, named, ok, warning, wrong } from "./finding.ts";

const fewBytes = 1e9;
const tooFewBytes = 1e8;
const graceMicros = 3_600 * secondMicros;

const foldersOf = ({ databaseUrl, assetStore, publicStore }: Config): string[] => {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(databaseUrl)?.[1];
  const folder = (place: Place) => (typeof place === "object" && "folder" in place ? [place.folder] : []);
  return [...(file ? [dirname(file)] : []), ...folder(assetStore), ...folder(publicStore)];
};

export async function examineDisks({ config, now }: Pick<Context, "config" | "now">): Promise<Finding[]> {
  const found: Finding[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const folder of foldersOf(config)) {
    const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
    least = Math.min(least, bavail * bsize);
  }
  const room = `${(least / 1e9).toFixed(1)} GB are free`;
  if (least < tooFewBytes) found.push(wrong("disk", `${room}: make room, writes are about to fail`));
  else if (least < fewBytes) found.push(warning("disk", `${room}: make room`));
  const left = await leftovers(config, now());
  if (left.length > 0) found.push(warning("temporary files", `${named(left)} were left half-way: svc doctor --fix removes them`));
  return found.length > 0 || least === Number.POSITIVE_INFINITY ? found : [ok("disk", room)];
}

/** What a write left that died with its process. */
async function leftovers({ assetStore, publicStore }: Config, now: number): Promise<string[]> {
  const left: string[] = [];
  for (const place of [assetStore, publicStore]) {
    if (typeof place !== "object" || !("folder" in place)) continue;
    const folder = join(place.folder, temporary);
    for (const name of await readdir(folder).catch(() => [])) {
      const stats = await lstat(join(folder, name)).catch(() => null);
      if (stats && stats.ctimeMs * 1000 < now - graceMicros) left.push(join(temporary, name));
    }
  }
  return left;
}
