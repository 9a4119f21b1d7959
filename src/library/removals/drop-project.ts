/** The removal of a project: all of its rows go, and it leaves the lists of tokens and webhooks. */
import { type ExportedRow, otherTables, type Rewriting } from "../../core/maintenance.ts";
import { keepSetting } from "../../core/people/unmapped.ts";
import type { RemovalRow } from "./rows.ts";

/** They keep the name: who did what, and what was taken back. */
const keeping: ReadonlySet<string> = new Set(["audit", "removals"]);

/** The tables whose rows belong to rows of those, by the column that names them. They come after them. */
const children: Record<string, { column: string; of: string }> = {
  bundle_files: { column: "asset", of: "assets" },
  share_views: { column: "share", of: "shares" },
  budget_periods: { column: "budget", of: "budgets" },
  brief_decisions: { column: "brief", of: "briefs" },
  upload_segments: { column: "upload_id", of: "uploads" },
};
const parents = new Set(Object.values(children).map(({ of }) => of));

const scanned = [...Object.keys(children), "outbox", "tokens", "webhooks", "settings"];

/** The rows of a project. It remembers the rows that go, so each table has to come once, in order. */
export function projectRemovalOf({ subject: slug, removed_at }: Pick<RemovalRow, "subject" | "removed_at">) {
  const gone = new Set<string>();
  const isOfProject = (table: string, row: ExportedRow): boolean => {
    if (table === "projects") return row.slug === slug;
    const child = children[table];
    if (child) return gone.has(`${child.of} ${row[child.column]}`);
    if (table === "settings") return row.name === keepSetting(slug);
    if (table === "outbox") return gone.has(`assets ${String(row.marker).slice(0, ulidLength)}`);
    return !keeping.has(table) && row.project === slug;
  };
  return {
    project: slug,
    tables: {
      [otherTables]: [{ equals: { project: slug } }],
      ...Object.fromEntries(scanned.map((table) => [table, [{}]])),
      projects: [{ equals: { slug } }],
    },
    change(table, row) {
      if (table === "tokens") return withoutProject(row, slug, removed_at);
      if (table === "webhooks") return withoutFilter(row, slug, removed_at);
      if (!isOfProject(table, row)) return row;
      if (parents.has(table)) gone.add(`${table} ${row.id}`);
      return null;
    },
  } satisfies Rewriting;
}

const ulidLength = 26;

/** A token of no other project ends, so that it cannot read one that is linked under the same name later. */
function withoutProject(row: ExportedRow, slug: string, removed_at: number): ExportedRow {
  const projects = row.projects as string[] | null;
  if (!projects?.includes(slug)) return row;
  const others = projects.filter((one) => one !== slug);
  return {
    ...row,
    projects: others,
    revoked_at: others.length > 0 ? row.revoked_at : (row.revoked_at ?? removed_at),
  };
}

function withoutFilter(row: ExportedRow, slug: string, removed_at: number): ExportedRow {
  const filters = row.filters as { project?: string[] };
  if (!filters.project?.includes(slug)) return row;
  const project = filters.project.filter((one) => one !== slug);
  const changed = { ...row, filters: { ...filters, project } };
  if (project.length > 0) return changed;
  return {
    ...changed,
    status: "paused",
    paused_at: removed_at,
    paused_reason: `Project ${slug} was removed.`,
  };
}
