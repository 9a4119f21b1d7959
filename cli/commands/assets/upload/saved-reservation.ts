/**
 * Reservations of large uploads that have not finished, so that the next `svc asset push` of the same file
 * resumes them. The files hold signed URLs, so only the user can read them.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Schemas } from "../../../client/client.ts";
import { loginPath } from "../../../login/login-file.ts";

export type Reservation = Pick<
  Schemas["PresignResponse"],
  "id" | "resumable_url" | "parts_url" | "finalize_body"
>;

/** Older files are deleted: the server has deleted these uploads. */
const ageMaxMs = 3 * 86_400_000;

const folder = (): string => join(dirname(loginPath()), "uploads");

/** @param key what must be equal to resume: the server, the metadata, and the hash of the file */
export function savedReservation(key: unknown) {
  const name = `${Bun.CryptoHasher.hash("sha256", JSON.stringify(key), "hex").slice(0, 32)}.json`;
  const path = join(folder(), name);
  return {
    /** Null if there is none. */
    load(): Reservation | null {
      try {
        return JSON.parse(readFileSync(path, "utf8")) as Reservation;
      } catch {
        return null; // it only saves sending the file again
      }
    },
    save({ id, resumable_url, parts_url, finalize_body }: Reservation): void {
      try {
        mkdirSync(folder(), { recursive: true, mode: 0o700 });
        deleteOld();
        const saved = { id, resumable_url, parts_url, finalize_body };
        writeFileSync(path, JSON.stringify(saved), { mode: 0o600 });
      } catch {
        // A service user may have no home folder: the upload then starts again after an interruption.
      }
    },
    remove: () => rmSync(path, { force: true }),
  };
}

function deleteOld(): void {
  for (const name of readdirSync(folder())) {
    const path = join(folder(), name);
    if (Date.now() - statSync(path).mtimeMs > ageMaxMs) rmSync(path, { force: true });
  }
}
