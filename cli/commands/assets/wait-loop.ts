/** The loop of `svc asset wait`: bounded requests, repeated also while a server restarts. */
import { ApiError } from "../../client/client.ts";
import { CommandError } from "../../command.ts";

/** Length of one request; a server parks it until one of the assets is reviewed. */
const waitSeconds = 45;
/** A pause after an error that passes: the server restarts, or too many requests wait. */
const retryMs = 4_000;
const shortPauseMs = 1_000;

interface Answered {
  hasAnswered: boolean;
  isOver: boolean;
}

/** Asks again until it is over or the deadline has passed. @param ask gets how long to wait, in seconds */
export async function repeat(
  deadline: number,
  ask: (wait: number, hasAnswered: boolean) => Promise<Answered>,
): Promise<boolean> {
  for (let hasEverAnswered = false; ; ) {
    const startedAt = performance.now();
    const wait = hasEverAnswered ? Math.ceil(Math.min(waitSeconds, (deadline - startedAt) / 1_000)) : 0;
    const { hasAnswered, isOver } = await ask(wait, hasEverAnswered);
    if (isOver) return true;
    hasEverAnswered ||= hasAnswered;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    // A server that stops answers early.
    if (!hasAnswered || (wait > 1 && performance.now() - startedAt < shortPauseMs))
      await Bun.sleep(Math.min(left, hasAnswered ? shortPauseMs : retryMs));
  }
}

/** Null for an error that a restart of the server causes. The first request has to succeed. */
export async function passOver<T>(hasAnswered: boolean, request: () => Promise<T>): Promise<T | null> {
  try {
    return await request();
  } catch (error) {
    const isTemporary =
      (error instanceof ApiError && (error.status === 429 || error.status >= 500)) ||
      error instanceof CommandError;
    if (!hasAnswered || !isTemporary) throw error;
    return null;
  }
}
