/** Whether the process runs, and whether what it needs answers. */
import { ulid } from "ulid";
import type { Context } from "../context.ts";
import { paths } from "../info.ts";
import { probeKey } from "../stores/keys.ts";
import type { Answer } from "./plain.ts";

const fresh = { "cache-control": "no-store" };

export const healthRoutes = ({ data, store }: Context): Record<string, Answer> => ({
  [paths.health]: () => Response.json({ status: "ok" }, { headers: fresh }),
  async [paths.ready]() {
    // What does not answer is a Problem 503; that there is no such object is an answer.
    await Promise.all([data.head(), store?.stat(probeKey(ulid()))]);
    return Response.json({ status: "ok" }, { headers: fresh });
  },
});
