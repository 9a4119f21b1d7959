/** The audit log: who changed what, from where. */

import type { AuditEntry, AuditPage } from "../../core/audit/schema.ts";
import type { Via } from "../../core/auth/caller.ts";
import { isTokenName } from "../../core/auth/token.ts";
import { listAudit } from "../../core/operations.ts";
import { EmptyState } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { requireAdminVisitor, settingsFrame } from "./sections.tsx";

export const auditParameters = ["token", "before"];
const entriesPerPage = 100;

const places: Record<Via, string> = {
  api: "API",
  session: "browser",
  mcp: "MCP",
  stdio: "MCP, on the server",
  cli: "command line, on the server",
  address: "signed URL",
  share: "share link",
  webhook: "webhook",
  service: "svc",
};

/** @throws {Problem} 401 or 403 unless the visitor is an admin */
export async function auditPage(view: View): Promise<Page> {
  requireAdminVisitor(view);
  const query = view.url.searchParams;
  const token = query.get("token")?.trim() || null;
  const before = query.get("before");
  const isValid = token === null || isTokenName(token);
  const { entries, next_before } = isValid
    ? await callOperation<AuditPage>(view, listAudit, {
        token,
        before: before !== null && /^\d{1,15}$/.test(before) ? Number(before) : null,
        limit: entriesPerPage,
      })
    : { entries: [], next_before: null };
  return settingsFrame(view, "audit", {
    children: (
      <section>
        <form method="get" action="/settings/audit" class="filters">
          <label>
            Token <input name="token" value={token ?? ""} placeholder="all" maxLength={63} />
          </label>
          <button type="submit">Show</button>
        </form>
        {entries.length === 0 ? (
          <EmptyState title={isValid ? "No entries." : "That is no name of a token."} />
        ) : (
          <Table label="Audit log" columns={columns} rows={entries} keyOf={({ id }) => String(id)} />
        )}
        {next_before !== null && (
          <p class="older">
            <a class="button" rel="next" href={olderUrl(token, next_before)}>
              Older entries
            </a>
          </p>
        )}
      </section>
    ),
  });
}

const olderUrl = (token: string | null, before: number): string =>
  `/settings/audit?${new URLSearchParams({ ...(token !== null && { token }), before: String(before) })}`;

const columns: readonly Column<AuditEntry>[] = [
  { label: "When", isName: true, cell: ({ at }) => <Time ts={at} /> },
  { label: "Who", class: "wraps", cell: ({ who, address }) => who ?? address ?? "no token" },
  { label: "From", cell: ({ via }) => places[via as Via] ?? via },
  { label: "What", cell: ({ what }) => what },
  {
    label: "About",
    class: "wraps",
    cell: ({ project, target }) => [project, target].filter(Boolean).join(", ") || "–",
  },
  {
    label: "Outcome",
    cell: ({ status, outcome, count }) => (
      <span class={status === 200 ? undefined : "bad"}>
        {outcome}
        {count > 1 && ` ×${count}`}
      </span>
    ),
  },
];
