/** The temporary folder of `svc demo`, which is deleted when the process exits. */
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "svc-demo-";
/** Names the process that uses a folder. */
const ownerFile = "demo.json";

interface Owner {
  pid: number;
  /** Containers may share a temporary folder, but not their process IDs. */
  hostname: string;
}

/**
 * Creates the folder, readable by this user only. It is deleted when the process exits for any reason but a
 * kill. Synchronous, so that no signal is handled between its creation and that promise.
 */
export function createDemoFolder(): string {
  removeAbandonedFolders();
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.on("exit", () => removeFolder(folder));
  const owner: Owner = { pid: process.pid, hostname: hostname() };
  writeFileSync(join(folder, ownerFile), JSON.stringify(owner));
  return folder;
}

/** Deletes the folders of this user's demos that were killed, for example by SIGKILL or a power failure. */
function removeAbandonedFolders(): void {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    if (isAbandoned(folder)) removeFolder(folder);
  }
}

/** False when in doubt: another user's folder, or a process ID that is in use, even by another program. */
function isAbandoned(folder: string): boolean {
  try {
    const info = lstatSync(folder);
    if (!info.isDirectory() || info.uid !== process.getuid?.()) return false;
    const { pid, hostname: host } = JSON.parse(readFileSync(join(folder, ownerFile), "utf8")) as Owner;
    return host === hostname() && !isRunning(pid);
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // The process is exiting, or the folder is not ours: there is nothing to report it to.
  }
}
