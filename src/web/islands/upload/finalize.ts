/** Finalizes an upload. Repeats the call while the server is still storing a large file. */

import { call, ResponseError } from "../page/session.js";
import type { Reservation } from "./resumable.js";

/** Each waits up to 20 seconds on the server: about ten minutes in all. */
const attempts = 30;
const delayMs = 2000;

export async function finalize<T>({ id, finalize_body }: Reservation): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await call<T>("POST", `/assets/${id}/finalize`, finalize_body);
    } catch (error) {
      const isBusy = error instanceof ResponseError && error.status === 503;
      if (!isBusy || attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
}
