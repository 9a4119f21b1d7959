/** Files that only the user can read. `svc hook` writes them, so this imports only Node modules. */
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Replaces a file, in a folder that may not exist; a crash leaves the old one or the new one. @throws Error */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600 });
    chmodSync(temporary, 0o600); // a file left by a crash has its own mode
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
