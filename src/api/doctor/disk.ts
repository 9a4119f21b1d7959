/** Checks free disk space, and the permissions of the database file. */
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config, StoreLocation } from "../../core/config.ts";
import type { Context } from "../context.ts";
import { type Finding, ok, warning, wrong } from "./finding.ts";

/** Below these limits: a warning, and an error. */
const warningLimits = { bytes: 1e9, files: 10_000 };
const errorLimits = { bytes: 1e8, files: 1_000 };

export interface DiskSpace {
  /** Device number: folders on the same disk share their free space. */
  disk: number;
  bytes: number;
  /** Free inodes; infinite where the file system has no limit. */
  files: number;
}

const databaseFileOf = ({ databaseUrl }: Config): string | undefined =>
  /^sqlite:(?!:memory:)(.+)$/.exec(databaseUrl)?.[1];

function dataFolders(config: Config): [what: string, folder: string][] {
  const { assetStore, publicStore } = config;
  const file = databaseFileOf(config);
  const folder = (what: string, place: StoreLocation): [string, string][] =>
    typeof place === "object" && "folder" in place ? [[what, place.folder]] : [];
  return [
    ...(file ? [["database", dirname(file)] as [string, string]] : []),
    ...folder("asset store", assetStore),
    ...folder("public store", publicStore),
  ];
}

/** Returns null if the folder does not exist: the check of its store reports that. */
async function readDiskSpace(folder: string): Promise<DiskSpace | null> {
  try {
    const [{ dev }, { bavail, bsize, files, ffree }] = await Promise.all([stat(folder), statfs(folder)]);
    return { disk: dev, bytes: bavail * bsize, files: files > 0 ? ffree : Number.POSITIVE_INFINITY };
  } catch {
    return null;
  }
}

export async function checkDiskSpace(
  { config }: Pick<Context, "config">,
  { roomOf = readDiskSpace, showsFolders = true } = {},
): Promise<Finding[]> {
  const disks = new Map<number, DiskSpace & { holds: string[]; folder: string }>();
  for (const [what, folder] of dataFolders(config)) {
    const room = await roomOf(folder);
    if (!room) continue;
    const disk = disks.get(room.disk);
    if (disk) disk.holds.push(what);
    else disks.set(room.disk, { ...room, holds: [what], folder });
  }
  return [...disks.values()].map(({ bytes, files, holds, folder }) => {
    const isBelow = (limit: typeof warningLimits) => bytes < limit.bytes || files < limit.files;
    const left =
      bytes < warningLimits.bytes || files >= warningLimits.files
        ? `${(bytes / 1e9).toFixed(bytes < warningLimits.bytes ? 2 : 1)} GB free`
        : `${files} inodes free`;
    if (!isBelow(warningLimits)) return ok("disk", left);
    const where = `${left} for ${holds.join(" and ")}${showsFolders ? ` in ${folder}` : ""}`;
    const fix = "delete unrelated files, or move SVC_DATA_DIR to a larger disk";
    return isBelow(errorLimits)
      ? wrong("disk", `${where}; writes will fail soon: ${fix}`)
      : warning("disk", `${where}: ${fix}`);
  });
}

/**
 * Warns if any user can read the database file: it holds the secret that signs URLs and sessions. Group
 * access is allowed, since an admin sets it on purpose.
 */
export async function checkDatabaseFile({ config }: Pick<Context, "config">): Promise<Finding[]> {
  const path = databaseFileOf(config);
  const mode = path === undefined ? 0 : (await stat(path)).mode;
  return mode & 0o007
    ? [warning("database file", `any user on this machine can read it: run chmod o= ${path}*`)]
    : [];
}
