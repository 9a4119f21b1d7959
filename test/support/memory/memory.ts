/** A project whose memory the tests fill. */

import type { Context } from "../../../src/api/context.ts";
import type { Environment } from "../../../src/core/config.ts";
import type { Event } from "../../../src/feed/schema.ts";
import { type Dialect, link, openApp } from "../harness.ts";

/** An app with the projects atlas and beacon. */
export async function openMemory(dialect: Dialect, env: Environment = {}) {
  const app = await openApp(dialect, env);
  for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
  return app;
}
export const eventsOf = async (ctx: Context, kind: Event["kind"]): Promise<Event[]> =>
  (await ctx.data.feed(null, { kind, limit: 50 })).map((row) => JSON.parse(row.wire));
