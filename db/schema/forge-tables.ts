/** What rows say about forges: where a repository is, and the comments that wait to be posted. */
import { type ForgeName, forges } from "../../src/core/forges/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const repositoryPlace = ({ text }: ColumnKit) => ({
  forge: text().$type<ForgeName>().notNull().default("github"),
  host: text().notNull().default(forges.github.host),
  repo: text().notNull(),
});

export const defineOutbox = (kit: ColumnKit) => {
  const { table, serial, int, text, flag } = kit;
  return table("outbox", {
    id: serial(),
    marker: text().notNull(),
    ...repositoryPlace(kit),
    number: int().notNull(),
    is_pull: flag().notNull().default(false),
    body: text().notNull(),
    attempts: int().notNull().default(0),
    due_at: int().notNull(),
    created_at: int().notNull(),
  });
};
