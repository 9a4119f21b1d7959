/**
 * Gives memory back once a server has nothing more to do: pages and uploads leave 60 MB that nothing needs,
 * of which the collector alone frees half (`bun run bench idle`).
 */
import { paths } from "../../src/core/info.ts";

/** Compiled code goes, too: the first page after such a pause takes 30 ms of CPU more. */
const idleMs = 60_000;

/** Programs ask for these all day. */
const monitoring = [paths.health, paths.ready, paths.metrics];

/**
 * Collects garbage after a pause in which no request came but those of monitoring.
 * @returns takes note of a request
 */
export function collectWhenIdle(): (request: Request) => void {
  let timer: Timer | undefined;
  return ({ url }) => {
    if (monitoring.some((path) => url.endsWith(path))) return;
    if (timer) return void timer.refresh();
    timer = setTimeout(() => {
      Bun.gc(true);
      Bun.shrink();
    }, idleMs);
    timer.unref();
  };
}
