/** What became of rejections: the newest brief that carried each, and the newest version of its asset. */

import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { cachedBriefPrefix } from "../../../src/core/runs/reported-run.ts";
import type { DecisionRow } from "../../../src/memory/rows.ts";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { rowColumns } from "../../library/assets/asset-pages.ts";
import { decisionColumns } from "../../memory/decision-pages.ts";
import { allRows, elements, preparedStatement } from "../../query/statements.ts";

const selectOwnRejections = preparedStatement(({ db, dialect, t: { decisions } }) => {
  const { actor, valid_from } = decisions;
  const [ofAuthor, isLater] = [
    eq(actor, sql.placeholder("author")),
    gt(valid_from, sql.placeholder("after")),
  ];
  const query = db
    .select(decisionColumns(decisions))
    .from(decisions)
    // A literal: the index is partial.
    .where(and(ofAuthor, sql`source = 'review'`, isLater))
    .orderBy(desc(valid_from))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<DecisionRow>(db, query, decisions);
});

export const answerReads = (session: Session) =>
  ({
    async ownRejections(authors, projects, { after, limit }) {
      const select = selectOwnRejections(session);
      const found = await Promise.all(authors.map((author) => select({ author, after, limit })));
      return found
        .flat()
        .filter(({ project }) => projects === null || projects.includes(project))
        .sort((a, b) => b.valid_from - a.valid_from)
        .slice(0, limit);
    },
    async newestVersions(ids) {
      const { assets } = session.t;
      if (ids.length === 0) return [];
      const { id, root_id } = assets;
      const named = await session.db
        .select({ id, root_id })
        .from(assets)
        .where(inArray(id, [...ids]));
      const ofChain = Map.groupBy(named, (row) => row.root_id);
      const rows = await session.db
        .select(rowColumns(session))
        .from(assets)
        .where(inArray(root_id, [...ofChain.keys()]))
        .orderBy(asc(assets.version));
      const newest = new Map(rows.map((row) => [row.root_id, row]));
      return [...newest.values()].map((row) => ({
        newest: row,
        of: (ofChain.get(row.root_id) ?? []).map((one) => one.id),
      }));
    },
    async newestBriefs(decisions) {
      if (decisions.length === 0) return [];
      const named = elements(session.dialect, decisions);
      // One seek in the primary key of `brief_decisions` for each decision, however many briefs carry it.
      const newest = sql`select brief from brief_decisions join briefs as given on given.id = brief
        where decision = cast(element.value as bigint) and given.run_id not like ${`${cachedBriefPrefix}%`}
        order by brief desc limit 1`;
      return allRows(
        session,
        sql`select newest.decision, briefs.at, runs.actor from
          (select cast(value as bigint) as decision, (${newest}) as brief from ${named}) as newest
          join briefs on briefs.id = newest.brief
          left join runs on runs.id = briefs.run_id and runs.project = briefs.project`,
      );
    },
  }) satisfies Partial<OverviewReads>;
