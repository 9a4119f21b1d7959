/** How rows read once a person was erased: their names are replaced, and what only they had goes. */
import { type ExportedRow, otherTables, type Rewriting, type RowFilter } from "../../core/maintenance.ts";
import { ruleText } from "../../memory/checks/rule-text.ts";
import type { Check } from "../../memory/checks/schema.ts";
import { nameEraser, spellingMark } from "./erased-names.ts";
import type { PersonDetail, RemovalRow } from "./rows.ts";

/** Columns and fields that name no person, or that others find rows and files by. */
const unchanged: ReadonlySet<string> = new Set([
  ...["project", "slug", "repo", "forge", "host", "lane", "lanes", "model", "models", "kind", "set"],
  ...["repo_names", "key", "public_url", "bundle_index", "sha256", "detail"],
  ...["hash", "previous_hash", "secret", "previous_secret", "passphrase"],
]);

/** Tables without names of people, and without texts. */
const nameless: ReadonlySet<string> = new Set([
  ...["feed_head", "issues", "usage", "rollups", "models", "guidance", "settings", "bundle_files"],
  ...["comparisons", "budget_periods", "brief_decisions", "pull_request_issues", "upload_segments"],
]);

/** What a change knows beside the row as it reads without the names. */
interface Erased extends Pick<RemovalRow, "removed_at"> {
  row: ExportedRow;
  salt: string;
}
type Change = (changed: ExportedRow, erased: Erased) => ExportedRow | null;

/** A column of a primary key: rows of names that differ only in case stay apart. */
const keepsApart =
  (column: string): Change =>
  (changed, { row, salt }) => {
    const name = row[column] as string; // safe because: it is a column of names
    const isMarked = changed[column] !== name && name !== name.toLowerCase();
    return isMarked ? { ...changed, [column]: `${changed[column]}-${spellingMark(salt, name)}` } : changed;
  };

/**
 * A rule with another name in it checks something else: a command is another command. It does nothing until a
 * person saves it again.
 */
function withoutChangedRules(changed: ExportedRow, { row }: Erased): ExportedRow {
  const [before, after] = [checksOf(row), checksOf(changed)];
  const checks = after.map((check, at) => {
    const old = before[at];
    return old && ruleText(old) === ruleText(check) ? check : { ...check, standing: "proposed" as const };
  });
  if (Bun.deepEquals(checks, after)) return changed;
  return { ...changed, checks: typeof row.checks === "string" ? JSON.stringify(checks) : checks };
}

/** As SQLite or Postgres returns them. */
const checksOf = ({ checks }: ExportedRow): Check[] =>
  // safe because: it is the column of checks
  ((typeof checks === "string" ? JSON.parse(checks) : checks) ?? []) as Check[];

/** What more becomes of a row that names the person. */
const changes: Record<string, Change> = {
  decisions: withoutChangedRules,
  people: (row, { removed_at }) => ({ ...row, removed_at: row.removed_at ?? removed_at }),
  tokens: (row, { removed_at }) => ({ ...row, revoked_at: row.revoked_at ?? removed_at }),
  webhooks: (row, { removed_at }) => ({
    ...row,
    status: "paused",
    paused_at: row.paused_at ?? removed_at,
    paused_reason: "Its owner was erased.",
  }),
  shares: (row, { removed_at }) => ({ ...row, revoked_at: row.revoked_at ?? removed_at }),
  person_identities: () => null,
  identities: () => null,
  unmapped_identities: () => null,
  email_digests: () => null,
  read_markers: () => null,
  inbox_marks: () => null,
  saved_views: () => null,
  claims: () => null,
  assets: (row) => ({ ...row, wire: null }),
  verdicts: keepsApart("voter"),
  requested_reviewers: keepsApart("reviewer"),
};

/** The erasure of a person. @param names to find rows of large tables by; not known to a restore */
export function erasureOf(
  removal: Pick<RemovalRow, "removed_at">,
  { salt, names: hashed }: PersonDetail,
  names: readonly string[] = [],
): Rewriting {
  const erase = nameEraser(salt, hashed, names);
  const named: RowFilter[] = [{ contains: { columns: ["wire", "payload", "dedupe_key"], words: names } }];
  return {
    tables: {
      ...Object.fromEntries([...nameless].map((table) => [table, []])),
      events: named,
      [otherTables]: [{}],
    },
    change(table, row) {
      if (nameless.has(table)) return row;
      const changed = erasedFields(row, erase);
      if (changed === row) return row;
      const change = changes[table];
      return change ? change(changed, { ...removal, row, salt }) : changed;
    },
  };
}

function erasedFields<T extends Record<string, unknown>>(fields: T, erase: (text: string) => string): T {
  let changed: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    if (unchanged.has(name) || (name === "url" && isOfRepository(value, fields.repo))) continue;
    const erased = erasedValue(value, erase);
    if (erased === value) continue;
    changed ??= { ...fields };
    changed[name] = erased;
  }
  return (changed ?? fields) as T;
}

/** The owner of a repository is part of its URLs. */
const isOfRepository = (url: unknown, repo: unknown): boolean =>
  typeof url === "string" && typeof repo === "string" && url.includes(repo);

function erasedValue(value: unknown, erase: (text: string) => string): unknown {
  if (typeof value === "string") return erasedText(value, erase);
  if (Array.isArray(value)) {
    const erased = value.map((one) => erasedValue(one, erase));
    return erased.some((one, at) => one !== value[at]) ? erased : value;
  }
  return typeof value === "object" && value !== null
    ? erasedFields(value as Record<string, unknown>, erase)
    : value;
}

/** JSON text is erased by its values, so that a field keeps its name. */
function erasedText(text: string, erase: (text: string) => string): string {
  if (!/^[[{]/.test(text)) return erase(text);
  try {
    const value: unknown = JSON.parse(text);
    const erased = erasedValue(value, erase);
    return erased === value ? text : JSON.stringify(erased);
  } catch {
    return erase(text);
  }
}
