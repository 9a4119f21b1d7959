/** Whether the process runs, and whether what it needs answers. */
import type { Context } from "../context.ts";
import { paths } from "../info.ts";
import type { Answer } from "./plain.ts";

const fresh = { "cache-control": "no-store" };

export const healthRoutes = ({ data }: Context): Record<string, Answer> => ({
  [paths.health]: () => Response.json({ status: "ok" }, { headers: fresh }),
  async [paths.ready]() {
    await data.head(); // a database that does not answer is a Problem 503
    return Response.json({ status: "ok" }, { headers: fresh });
  },
});
