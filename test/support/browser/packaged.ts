/**
 * The packaged Chromium, unpacked once for all suites of a checkout. The package unpacks it into `tmpdir()`,
 * and every suite has its own: 1.5 s of processor time and 210 MB of memory each.
 */
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import packaged from "@sparticuz/chromium";
import { repositoryRoot } from "../repository.ts";

/** Whether the package has a browser for this machine. */
export const hasPackaged = process.platform === "linux" && process.arch === "x64";

const cache = join(repositoryRoot, "node_modules/.cache");

/** Returns its path in the cache of the checkout, where the first call unpacks it. */
export async function unpackOnce(): Promise<string> {
  const library = dirname(dirname(Bun.resolveSync("@sparticuz/chromium", import.meta.dir)));
  const { version } = await Bun.file(join(library, "package.json")).json();
  const folder = join(cache, `chromium-${version}`);
  const path = join(folder, "chromium");
  if (existsSync(path)) return path;
  await mkdir(cache, { recursive: true });
  // A suite that is stopped, or another at the same time, leaves no browser by half.
  const draft = await mkdtemp(join(cache, ".chromium-"));
  try {
    const child = Bun.spawn([process.execPath, import.meta.path], {
      env: { ...process.env, TMPDIR: draft },
      stdio: ["ignore", "ignore", "inherit"],
    });
    if ((await child.exited) !== 0) throw new Error("the browser could not be unpacked");
    await chmod(draft, 0o755); // some tests run it as another user
    await rename(draft, folder).catch((error) => {
      if (!existsSync(path)) throw error; // otherwise another suite was faster
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return path;
}

// The program that `unpackOnce` starts, with a `tmpdir()` of its own.
if (import.meta.main) await packaged.executablePath();
