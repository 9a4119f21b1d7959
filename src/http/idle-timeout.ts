/** Calls that take their time: a body on its way in, bytes that are copied and hashed. */
import type { Connection } from "./api-middleware.ts";

/** A connection that is silent for so long is closed. */
export const idleSeconds = 60;

/**
 * Silence is allowed while it works, and no longer. Bodies have to keep a pace of their own all the same, see
 * `progressing`.
 */
export async function withoutIdleTimeout<T>(
  request: Request,
  connection: Connection | null,
  work: () => Promise<T>,
): Promise<T> {
  connection?.timeout(request, 0);
  try {
    return await work();
  } finally {
    connection?.timeout(request, idleSeconds);
  }
}
