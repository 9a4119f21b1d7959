/** Small disks for tests. Mounting them needs root, and is not allowed in most containers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function run(...command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdio: ["ignore", "ignore", "pipe"] });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}

/** Runs `mount` with these arguments. */
export const mount = (...args: string[]): Promise<void> => run("mount", ...args);
/** Unmounts lazily, even while this process has a file open on it. */
export const unmount = (path: string): Promise<void> => run("umount", "-l", path);

async function canMount(): Promise<boolean> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = await mkdtemp(join(tmpdir(), "svc-mount-"));
  try {
    await mount("-t", "tmpfs", "-o", "size=1m", "svc-test", folder);
    await unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const mountable = await canMount();
