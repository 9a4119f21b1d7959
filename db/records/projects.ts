/** Linked projects. */
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, lte, ne, or, type SQL, sql } from "drizzle-orm";
import type { Reads, Writes } from "../../src/data.ts";
import type { ProjectRow } from "../../src/rows.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";

type ProjectReads = Pick<
  Reads,
  "projects" | "project" | "projectsOfRepos" | "projectOfRepository" | "hasWebhook" | "usage"
>;

const bySlug = preparedStatement(({ db, t: { projects } }) =>
  db
    .select()
    .from(projects)
    .where(eq(projects.slug, sql.placeholder("slug")))
    .prepare(),
);

/** A union of two queries, so that each uses its own index. */
const byRepository = preparedStatement(({ db, t: { projects } }) => {
  const where = (condition: SQL) =>
    db
      .select({ slug: projects.slug, repo: projects.repo, repo_id: projects.repo_id })
      .from(projects)
      .where(condition);
  return where(eq(sql`lower(${projects.repo})`, sql.placeholder("name")))
    .unionAll(where(eq(projects.repo_id, sql.placeholder("id"))))
    .prepare();
});

export function projectReads(session: Session): ProjectReads {
  const { db, t } = session;
  const { projects, usage } = t;
  return {
    async projects(allowed, { limit, after }) {
      const read = (after: SQL | undefined, count: number) =>
        db
          .select()
          .from(projects)
          .where(and(allowed ? inArray(projects.slug, [...allowed]) : undefined, after))
          .orderBy(sql`${projects.last_activity} desc nulls last`, asc(projects.slug))
          .limit(count);
      const inactive = (count: number) =>
        read(
          and(
            isNull(projects.last_activity),
            after?.lastActivity === null ? gt(projects.slug, after.slug) : undefined,
          ),
          count,
        );
      if (!after) return (await read(undefined, limit)).map(toProject);
      if (after.lastActivity === null) return (await inactive(limit)).map(toProject);
      // Keyset condition in a form that uses the index, at any depth.
      const column = projects.last_activity;
      const active = await read(
        and(
          lte(column, after.lastActivity),
          or(lt(column, after.lastActivity), gt(projects.slug, after.slug)),
        ),
        limit,
      );
      const rest = limit - active.length;
      return [...active, ...(rest > 0 ? await inactive(rest) : [])].map(toProject);
    },
    async project(allowed, slug) {
      if (allowed && !allowed.includes(slug)) return null;
      const [row] = await bySlug(session).execute({ slug });
      return row ? toProject(row) : null;
    },
    async projectsOfRepos(repos) {
      if (repos.length === 0) return new Map();
      const repo = sql<string>`lower(${projects.repo})`;
      const rows = await db.select({ slug: projects.slug, repo }).from(projects).where(inArray(repo, repos));
      return new Map(rows.map((row) => [row.repo, row.slug]));
    },
    async projectOfRepository({ id, full_name }) {
      const name = full_name.toLowerCase();
      const linked = await byRepository(session).execute({ id, name });
      return linked.find(({ repo }) => repo.toLowerCase() === name) ?? linked[0] ?? null;
    },
    async hasWebhook(allowed) {
      const rows = await db
        .select({ slug: projects.slug })
        .from(projects)
        .where(and(isNotNull(projects.repo_id), allowed ? inArray(projects.slug, [...allowed]) : undefined))
        .limit(1);
      return rows.length > 0;
    },
    usage: (project, since) =>
      db
        .select()
        .from(usage)
        .where(and(eq(usage.project, project), sql`${usage.day} >= ${since}`))
        .orderBy(asc(usage.day), asc(usage.lane), asc(usage.model)),
  };
}

type Row = Session["t"]["projects"]["$inferSelect"];

const toProject = (row: Row): ProjectRow => ({
  slug: row.slug,
  repo: row.repo,
  stack: row.stack,
  summary: row.summary,
  lastActivity: row.last_activity,
  openIssues: row.open_issues,
  decisionsCount: row.decisions_count,
  digest: { digested: row.digested_count, total: row.events_count },
  lanes: row.lanes,
  check_cmd: row.check_cmd,
  branch_pattern: row.branch_pattern,
});

export function projectWrites(session: Session): Pick<Writes, "linkProject" | "saveRepositoryId"> {
  const { db, t } = session;
  const { projects } = t;
  return {
    async linkProject({ slug, ...fields }, at) {
      const [other] = await db
        .select({ slug: projects.slug })
        .from(projects)
        .where(eq(sql`lower(${projects.repo})`, fields.repo.toLowerCase()));
      if (other && other.slug !== slug) return "repo taken";
      const [updated] = await db
        .update(projects)
        // With another repository name, the stored GitHub id belongs to the previous repository.
        .set({
          ...fields,
          repo_id: sql`case when lower(${projects.repo}) = ${fields.repo.toLowerCase()}
            then ${projects.repo_id} end`,
        })
        .where(eq(projects.slug, slug))
        .returning({ slug: projects.slug });
      if (updated) return "changed";
      await db.insert(projects).values({ lanes: [], ...fields, slug, linked_at: at });
      return "linked";
    },
    async saveRepositoryId({ id, full_name }) {
      const linked = await projectReads(session).projectOfRepository({ id, full_name });
      if (!linked) return;
      const repo = linked.repo.toLowerCase() === full_name.toLowerCase() ? linked.repo : full_name;
      await db
        .update(projects)
        .set({ repo_id: null })
        .where(and(eq(projects.repo_id, id), ne(projects.slug, linked.slug)));
      await db.update(projects).set({ repo, repo_id: id }).where(eq(projects.slug, linked.slug));
    },
  };
}
