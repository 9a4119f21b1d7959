import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { reviewSource, setRefPrefix } from "../../src/memory/set-ref.ts";

/** The `source_ref` of the decision of an asset's set; null without a set. @param assets table or alias */
export const setRefOf = (assets: string): SQL => sql.raw(`('${setRefPrefix}' || ${assets}."set")`);

/** The set that a decision is about; its `source_ref` has to begin with the prefix. @param decisions alias */
export const setOfDecision = (decisions: string): SQL =>
  sql.raw(`substr(${decisions}.source_ref, ${setRefPrefix.length + 1})`);

/** Whether a decision is about a set. @param decisions table or alias */
export const isOfSet = (decisions: string): SQL =>
  sql.raw(`substr(${decisions}.source_ref, 1, ${setRefPrefix.length}) = '${setRefPrefix}'`);

/** Whether a review made a decision. Not a parameter, which SQLite would plan for at each call (see `opaque`). */
export const isOfReview = ({ source }: { source: SQLWrapper }): SQL =>
  sql`${source} = ${sql.raw(`'${reviewSource}'`)}`;
