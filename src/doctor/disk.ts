/** Room on the disks of this machine. */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config, Place } from "../config.ts";
import type { Context } from "../context.ts";
import { type Finding, ok, warning, wrong } from "./finding.ts";

const fewBytes = 1e9;
const tooFewBytes = 1e8;

const foldersOf = ({ databaseUrl, assetStore, publicStore }: Config): string[] => {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(databaseUrl)?.[1];
  const folder = (place: Place) => (typeof place === "object" && "folder" in place ? [place.folder] : []);
  return [...(file ? [dirname(file)] : []), ...folder(assetStore), ...folder(publicStore)];
};

export async function examineDisks({ config }: Pick<Context, "config">): Promise<Finding[]> {
  const found: Finding[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const folder of foldersOf(config)) {
    const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
    least = Math.min(least, bavail * bsize);
  }
  const room = `${(least / 1e9).toFixed(1)} GB are free`;
  if (least < tooFewBytes) found.push(wrong("disk", `${room}: make room, writes are about to fail`));
  else if (least < fewBytes) found.push(warning("disk", `${room}: make room`));
  return found.length > 0 || least === Number.POSITIVE_INFINITY ? found : [ok("disk", room)];
}
