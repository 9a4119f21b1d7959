/** The tables of telemetry. */
import type { UnplacedReason } from "../../src/integrations/rows.ts";
import type { ColumnKit } from "./columns.ts";

export const defineTelemetryTables = ({ table, int, text }: ColumnKit) => ({
  /** Telemetry that fits no project: how much of which source and why, never its content. */
  unplaced: table("unplaced", {
    source: text().notNull(),
    reason: text().$type<UnplacedReason>().notNull(),
    count: int().notNull(),
    /** The token that sent it last. */
    token: text().notNull(),
    last_at: int().notNull(),
  }),
});
