/** The whole port to the database, which `db/` implements. Start reading at `src/core/port.ts`. */
export type {
  IntegrationsData as Data,
  IntegrationsReads as Reads,
  IntegrationsWrites as Writes,
} from "../integrations/port.ts";
