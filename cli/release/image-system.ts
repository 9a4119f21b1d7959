/** What the image has beside the executable: its C library, copied from this machine, and its user. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { TarEntry } from "modern-tar";
import { UsageError } from "../command-errors.ts";
import { tarFile, tarFolder } from "./tar-entries.ts";

/** The user of the container, as in the documentation: with the same number, a volume keeps its owner. */
export const imageUser = 1000;

/** The license of the libraries, where Debian and its relatives have it. */
const librariesLicense = "/usr/share/doc/libc6/copyright";

/** The libraries of the executable, names of its users, and the folders that it writes to. */
export async function systemEntries(program: string, mtime: Date): Promise<TarEntry[]> {
  const libraries = librariesOf(program);
  const licenses = existsSync(librariesLicense) ? [librariesLicense] : [];
  const folders = new Set([...libraries, ...licenses].flatMap((path) => foldersAbove(path)));
  const users = `root:x:0:0::/root:/sbin/nologin\nsvc:x:${imageUser}:${imageUser}::/data:/sbin/nologin\n`;
  return [
    ...[...new Set(["etc", "usr", "usr/bin", ...folders])].map((name) => tarFolder(name, mtime)),
    tarFolder("tmp", mtime, { mode: 0o1777 }),
    tarFolder("data", mtime, { uid: imageUser, gid: imageUser }),
    tarFile("etc/passwd", Buffer.from(users), mtime),
    tarFile("etc/group", Buffer.from(`root:x:0:\nsvc:x:${imageUser}:\n`), mtime),
    tarFile("etc/nsswitch.conf", Buffer.from("hosts: files dns\n"), mtime),
    ...(await Promise.all(
      [...libraries, ...licenses].map(async (path) =>
        tarFile(
          path.slice(1),
          await Bun.file(path).bytes(),
          mtime,
          path === librariesLicense ? 0o644 : 0o755,
        ),
      ),
    )),
  ];
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === "/" ? [] : [...foldersAbove(above), above.slice(1)];
}

/** The paths of the dynamic loader and the libraries, as `ldd` prints them. */
function librariesOf(program: string): string[] {
  if (!Bun.which("ldd")) throw new UsageError("Images are made where ldd is: on Linux.");
  const { stdout } = Bun.spawnSync(["ldd", program]);
  const paths = [...stdout.toString().matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(
    ([, path]) => path as string,
  );
  if (paths.length === 0) throw new UsageError("Images are made on a machine that can run their executable.");
  return paths;
}
