/** Reservations of unfinished uploads in this browser, to resume them after a reload of the page. */
import type { Reservation } from "./resumable.js";

const prefix = "upload ";
/** The server deletes an unfinished upload about a day after it was reserved. */
const ageMaxMs = 86_400_000;

/** @param metadata of the asset: the same file for another task is another upload */
export function savedReservation({ name, size, lastModified }: File, metadata: object) {
  const key = prefix + JSON.stringify([name, size, lastModified, metadata]);
  return {
    load(): Reservation | null {
      deleteOld();
      const text = localStorage.getItem(key);
      return text === null ? null : JSON.parse(text).reservation;
    },
    save(reservation: Reservation): void {
      try {
        localStorage.setItem(key, JSON.stringify({ at: Date.now(), reservation }));
      } catch {
        // The storage is full or disabled: a reload then starts the upload again.
      }
    },
    remove: () => localStorage.removeItem(key),
  };
}

function deleteOld(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix) && !(JSON.parse(localStorage[key]).at > Date.now() - ageMaxMs))
      localStorage.removeItem(key);
}
