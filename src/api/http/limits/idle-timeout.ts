/** Idle timeout of connections, and how slow requests (uploads, copies, hashing) are exempt from it. */
import type { Connection } from "../api-middleware.ts";

/** A connection without traffic for this many seconds is closed. */
export const idleSeconds = 60;

/**
 * Disables the idle timeout of the connection while `work` runs. Request bodies still have to arrive at a
 * minimum rate, see `bodyChunks`.
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
