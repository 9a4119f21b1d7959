/**
 * The documents that recall indexes for decisions: the decision's text and, if a review made it, the metadata
 * of the reviewed asset.
 */
import { and, eq, inArray, sql } from "drizzle-orm";
import type { DecisionRow } from "../../../src/memory/rows.ts";
import { reviewSource } from "../../../src/memory/set-ref.ts";
import type { Session } from "../../engine/session.ts";
import { isOfReview } from "../set-ref.ts";
import type { Document } from "./term-index.ts";

type Decision = Pick<DecisionRow, "id" | "project" | "text" | "source" | "source_ref">;

/** Builds the documents of decisions; those of reviews take the asset's metadata as their heading. */
export async function decisionDocuments(session: Session, rows: Decision[]): Promise<Document[]> {
  const refs = rows.flatMap(({ source, source_ref }) =>
    source === reviewSource && source_ref !== null ? [source_ref] : [],
  );
  const heads = refs.length > 0 ? await headsOf(session, refs) : new Map<string, string>();
  return rows.map(({ id, project, text, source, source_ref }) => ({
    id,
    head: (source === reviewSource && heads.get(`${project} ${source_ref}`)) || "",
    body: text,
    audience: project,
  }));
}

/** Reads the headings of assets, keyed by project and asset id. */
async function headsOf(session: Session, ids: string[]): Promise<Map<string, string>> {
  const { assets } = session.t;
  const rows = await session.db
    .select({ id: assets.id, project: assets.project, title: assets.title, about: aboutOf(session) })
    .from(assets)
    .where(inArray(assets.id, ids));
  return new Map(rows.map(({ id, project, title, about }) => [`${project} ${id}`, `${title} ${about}`]));
}

/** Description, tags and issue of an asset. Tags stay JSON: the tokenizer ignores its punctuation. */
const aboutOf = ({ t: { assets } }: Session) =>
  sql<string>`coalesce(${assets.description}, '') || ' ' || cast(${assets.tags} as text) || ' ' || coalesce(${assets.task}, cast(${assets.issue} as text), '')`;

/** The same metadata as columns of a query on `decisions`. */
export function reviewedAsset(session: Session) {
  const { assets, decisions } = session.t;
  const ofReview = and(
    isOfReview(decisions),
    eq(assets.id, decisions.source_ref),
    eq(assets.project, decisions.project),
  );
  const column = (value: unknown) =>
    sql<string>`coalesce((select ${value} from ${assets} where ${ofReview}), '')`;
  return { head: column(assets.title), about: column(aboutOf(session)) };
}
