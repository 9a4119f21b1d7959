/** The SQL of a Postgres whose log has partitions; see db/feed/partitions.ts. */
import { and, gt, lt } from "drizzle-orm";
import type { Dialect } from "./dialect.ts";
import { rowComparisonRange } from "./index-range.ts";
import { postgres } from "./postgres.ts";

export const partitionedPostgres: Dialect = {
  ...postgres,
  isPartitioned: true,
  // The bounds of `ts` exclude partitions, those of a row comparison do not.
  indexRange(range, direction) {
    const { where, order } = rowComparisonRange(range, direction);
    const { ts, before, after } = range;
    return { where: and(where, before && lt(ts, before), after && gt(ts, after)), order };
  },
};
