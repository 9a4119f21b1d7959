/**
 * Gives memory back once a server has nothing more to do: pages and uploads leave 60 MB that nothing needs
 * (`bun run bench idle`), and SQLite fills its caches of up to 50 MB.
 */

import { paths } from "../../../core/info.ts";
import type { Context } from "../../context.ts";

/** Compiled code goes, too: the first page after such a pause takes 30 ms of CPU more. */
const idleMs = 60_000;

/** Programs ask for these all day. */
const monitoring = [paths.health, paths.ready, paths.metrics];

/**
 * Collects garbage after a pause in which no request came but those of monitoring.
 * @returns takes note of a request
 */
export function collectWhenIdle({ data }: Pick<Context, "data">): (request: Request) => void {
  let timer: Timer | undefined;
  return ({ url }) => {
    if (monitoring.some((path) => url.endsWith(path))) return;
    if (timer) return void timer.refresh();
    timer = setTimeout(() => {
      data.releaseMemory();
      Bun.gc(true);
      Bun.shrink();
    }, idleMs);
    timer.unref();
  };
}
