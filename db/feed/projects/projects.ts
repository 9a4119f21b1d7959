/** Linked projects. */

import {
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { forges } from "../../../src/core/forges/schema.ts";
import type { FeedReads, FeedWrites } from "../../../src/feed/port.ts";
import type { ProjectRow, UsageRow } from "../../../src/feed/rows.ts";
import type { Session } from "../../engine/session.ts";
import { noLimit, preparedStatement } from "../../query/statements.ts";
import { hasPending, isHead } from "../head.ts";
import { joinedRows, type Marked } from "../pending.ts";

const bySlug = preparedStatement(({ db, dialect, t: { projects } }) => {
  const query = db
    .select()
    .from(projects)
    .where(eq(projects.slug, sql.placeholder("slug")))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<Row>(db, query, projects);
});

/** The slugs among these that are projects: an import can name a thousand. */
const slugsAmong = preparedStatement(({ db, dialect, t: { projects } }) => {
  const { slug } = projects;
  const query = db
    .select({ slug })
    .from(projects)
    .where(dialect.isIn(slug, sql`select value from ${dialect.elements(sql.placeholder("list"))}`))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<{ slug: string }>(db, query);
});

const linkColumns = ({ slug, forge, host, repo, repo_id, repo_names }: Session["t"]["projects"]) => ({
  slug,
  forge,
  host,
  repo,
  repo_id,
  repo_names,
});

/** A union of two queries, so that each uses its own index: a name or an id exists once per forge and host. */
const byRepository = preparedStatement(({ db, t: { projects } }) => {
  const { forge } = projects;
  const where = (condition: SQL) =>
    db
      .select(linkColumns(projects))
      .from(projects)
      .where(and(condition, eq(forge, sql.placeholder("forge"))));
  return where(eq(sql`lower(${projects.repo})`, sql.placeholder("name")))
    .unionAll(where(eq(projects.repo_id, sql.placeholder("id"))))
    .prepare();
});

const usageSince = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const { feed_head, usage } = t;
  const isOfDays = sql`${usage.day} >= ${sql.placeholder("since")}`;
  const query = db
    .select({ ...getTableColumns(usage), pending: hasPending(session).as("pending") })
    .from(feed_head)
    .leftJoin(usage, and(eq(usage.project, sql.placeholder("project")), isOfDays))
    .where(isHead(session))
    .limit(sql.placeholder("limit"));
  return dialect.reader<Marked>(db, query.prepare());
});

const newestActivityFirst = ({ last_activity, slug }: Session["t"]["projects"]) => [
  sql`${last_activity} desc nulls last`,
  asc(slug),
];

/** The first page of all projects, which most pages of the site read. */
const firstPage = preparedStatement(({ db, dialect, t: { projects } }) => {
  const query = db
    .select()
    .from(projects)
    .orderBy(...newestActivityFirst(projects))
    .limit(sql.placeholder("limit"))
    .prepare();
  return dialect.reader<Row>(db, query, projects);
});

export function projectReads(session: Session) {
  const { db, t, linkedProjects: known } = session;
  const { projects } = t;
  return {
    async projects(allowed, { limit, after }) {
      const read = (after: SQL | undefined, count: number) =>
        db
          .select()
          .from(projects)
          .where(and(allowed ? inArray(projects.slug, [...allowed]) : undefined, after))
          .orderBy(...newestActivityFirst(projects))
          .limit(count);
      const inactive = (count: number) =>
        read(
          and(
            isNull(projects.last_activity),
            after?.lastActivity === null ? gt(projects.slug, after.slug) : undefined,
          ),
          count,
        );
      if (!after && !allowed) return (await firstPage(session)({ limit })).map(toProject);
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
      const [row] = await bySlug(session)({ slug, limit: 1 });
      return row ? toProject(row) : null;
    },
    async linkedProjects(allowed, slugs) {
      const visible = [...slugs].filter((slug) => !allowed || allowed.includes(slug));
      const unknown = visible.filter((slug) => known.get(slug) === undefined);
      if (unknown.length === 0) return new Set(visible);
      const rows = await slugsAmong(session)({ list: JSON.stringify(unknown), limit: unknown.length });
      for (const { slug } of rows) known.set(slug, true);
      const missing = new Set(unknown).difference(new Set(rows.map(({ slug }) => slug)));
      return new Set(visible.filter((slug) => !missing.has(slug)));
    },
    async projectsOfRepos(repos) {
      if (repos.length === 0) return new Map();
      const { slug, forge, host } = projects;
      const repo = sql<string>`lower(${projects.repo})`;
      const rows = await db.select({ slug, repo, forge, host }).from(projects).where(inArray(repo, repos));
      return new Map(
        [...Map.groupBy(rows, (row) => row.repo)].flatMap(([name, same]) => {
          const chosen = same.length === 1 ? same[0] : same.find(isOnDefaultHost);
          return chosen ? [[name, chosen.slug]] : [];
        }),
      );
    },
    linksOfRepository: ({ forge, id, full_name }) =>
      byRepository(session).execute({ id, name: full_name.toLowerCase(), forge }),
    linksOn: ({ forge, host }) =>
      db
        .select(linkColumns(projects))
        .from(projects)
        .where(and(eq(projects.forge, forge), eq(projects.host, host))),
    async hasWebhook(allowed) {
      const rows = await db
        .select({ slug: projects.slug })
        .from(projects)
        .where(and(isNotNull(projects.repo_id), allowed ? inArray(projects.slug, [...allowed]) : undefined))
        .limit(1);
      return rows.length > 0;
    },
    async usage(project, since) {
      const rows = await usageSince(session)({ project, since, limit: noLimit });
      // Sorted here: Postgres would sort what it joins, although the index has it in this order.
      return joinedRows<UsageRow>(rows, "project").sort(byDayAndGroup);
    },
  } satisfies Partial<FeedReads>;
}

const byDayAndGroup = (a: UsageRow, b: UsageRow): number =>
  compare(a.day, b.day) || compare(a.lane, b.lane) || compare(a.model, b.model);
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** On github.com, or on the GitHub Enterprise server that the deployment is configured for. */
const isOnDefaultHost = ({ forge, host }: Pick<Row, "forge" | "host">): boolean =>
  forge === "github" && host === forges.github.host;

type Row = Session["t"]["projects"]["$inferSelect"];

const toProject = (row: Row): ProjectRow => ({
  slug: row.slug,
  forge: row.forge,
  host: row.host,
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
  task_url: row.task_url,
});

export function projectWrites(session: Session) {
  const { db, t } = session;
  const { projects } = t;
  return {
    async linkProject({ slug, forge = "github", host = forges[forge].host, ...rest }, at) {
      const fields = { ...rest, forge, host };
      const isSame = and(
        eq(sql`lower(${projects.repo})`, fields.repo.toLowerCase()),
        eq(projects.forge, forge),
        eq(projects.host, host),
      );
      const [other] = await db.select({ slug: projects.slug }).from(projects).where(isSame);
      if (other && other.slug !== slug) return "repo taken";
      const [updated] = await db
        .update(projects)
        // With another repository, the stored id and names belong to the previous one.
        .set({
          ...fields,
          repo_id: sql`case when ${isSame} then ${projects.repo_id} end`,
          repo_names: sql`case when ${isSame} then ${projects.repo_names} end`,
        })
        .where(eq(projects.slug, slug))
        .returning({ slug: projects.slug });
      if (updated) return "changed";
      await db.insert(projects).values({ lanes: [], ...fields, slug, linked_at: at });
      return "linked";
    },
    async saveLinks(links) {
      const set = (slug: string, fields: Partial<Row>) =>
        db.update(projects).set(fields).where(eq(projects.slug, slug));
      // Names and ids are unique: all are free before one is given. No repository has such a name.
      for (const { slug } of links) await set(slug, { repo: `/${slug}`, repo_id: null });
      for (const { slug, repo, repo_id, repo_names } of links) await set(slug, { repo, repo_id, repo_names });
    },
  } satisfies Partial<FeedWrites>;
}
