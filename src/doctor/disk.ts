/** Room on the disks of this machine, and who else reads there. */
import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Config, StoreLocation } from "../config.ts";
import type { Context } from "../context.ts";
import { type Finding, ok, warning, wrong } from "./finding.ts";

/** Warned of, and wrong. */
const few = { bytes: 1e9, files: 10_000 };
const tooFew = { bytes: 1e8, files: 1_000 };

export interface Room {
  /** Folders of one disk have one room. */
  disk: number;
  bytes: number;
  /** How many more it can name; some have no end. */
  files: number;
}

const fileOf = ({ databaseUrl }: Config): string | undefined =>
  /^sqlite:(?!:memory:)(.+)$/.exec(databaseUrl)?.[1];

function foldersOf(config: Config): [what: string, folder: string][] {
  const { assetStore, publicStore } = config;
  const file = fileOf(config);
  const folder = (what: string, place: StoreLocation): [string, string][] =>
    typeof place === "object" && "folder" in place ? [[what, place.folder]] : [];
  return [
    ...(file ? [["database", dirname(file)] as [string, string]] : []),
    ...folder("asset store", assetStore),
    ...folder("public store", publicStore),
  ];
}

/** Null where there is no such folder: whoever needs it says so. */
async function roomIn(folder: string): Promise<Room | null> {
  try {
    const [{ dev }, { bavail, bsize, files, ffree }] = await Promise.all([stat(folder), statfs(folder)]);
    return { disk: dev, bytes: bavail * bsize, files: files > 0 ? ffree : Number.POSITIVE_INFINITY };
  } catch {
    return null;
  }
}

export async function examineDisks({ config }: Pick<Context, "config">, roomOf = roomIn): Promise<Finding[]> {
  const disks = new Map<number, Room & { holds: string[]; folder: string }>();
  for (const [what, folder] of foldersOf(config)) {
    const room = await roomOf(folder);
    if (!room) continue;
    const disk = disks.get(room.disk);
    if (disk) disk.holds.push(what);
    else disks.set(room.disk, { ...room, holds: [what], folder });
  }
  return [...disks.values()].map(({ bytes, files, holds, folder }) => {
    const lacks = (limit: typeof few) => bytes < limit.bytes || files < limit.files;
    const left =
      bytes < few.bytes || files >= few.files
        ? `${(bytes / 1e9).toFixed(bytes < few.bytes ? 2 : 1)} GB are free`
        : `${files} more files fit`;
    if (!lacks(few)) return ok("disk", left);
    const where = `${left} for ${holds.join(" and ")} in ${folder}`;
    const mend = "remove what is not of svc, or move SVC_DATA_DIR to a larger disk";
    return lacks(tooFew)
      ? wrong("disk", `${where}, writes are about to fail: ${mend}`)
      : warning("disk", `${where}: ${mend}`);
  });
}

/** Whoever reads the database signs addresses and sessions. Its group may, if the operator says so. */
export async function examineFile({ config }: Pick<Context, "config">): Promise<Finding[]> {
  const path = fileOf(config);
  const mode = path === undefined ? 0 : (await stat(path)).mode;
  return mode & 0o007
    ? [warning("database file", `everybody on this machine may read it: chmod o= ${path}*`)]
    : [];
}
