/** The conditions in SQL that events and runs are of pipelines. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { pipelineIdPrefixes } from "../../../src/feed/runs/pipelines.ts";

/** That a column holds the id of a pipeline; false for null. Not `like`: SQLite ignores case there. */
export const isPipelineId = (id: SQLWrapper): SQL =>
  sql`(${id} is not null and (${sql.join(
    pipelineIdPrefixes.map((prefix) => sql`substr(${id}, 1, ${sql.raw(String(prefix.length))}) = ${prefix}`),
    sql` or `,
  )}))`;
