/** What was done with a token since an instant. */
import type { ActivityLine, TokenActivity } from "../../core/auth/token-requests.ts";
import { dayMicros, fromMicros, parseTime } from "../../core/lib/time.ts";
import { getTokenActivity } from "../../feed/operations/tokens.ts";
import { formatCount } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";

const periods = { "1": "24 hours", "7": "7 days", "30": "30 days" };
const defaultDays = "7";

export interface ShownActivity {
  /** The tab; undefined for an instant of one's own. */
  days: string | undefined;
  since: string;
  lines: readonly ActivityLine[];
}

export async function loadActivity(view: View, name: string): Promise<ShownActivity> {
  const query = view.url.searchParams;
  const instant = instantOf(query.get("since"));
  const given = query.get("days") ?? "";
  const days = instant === null ? (given in periods ? given : defaultDays) : undefined;
  const since = instant ?? fromMicros(view.ctx.now() - Number(days) * dayMicros);
  const { activity } = await callOperation<TokenActivity>(view, getTokenActivity, { name, since });
  return { days, since, lines: activity };
}

/** A time of day of a browser's field is in UTC; null for anything else than a time. */
function instantOf(text: string | null): string | null {
  const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text ?? "") ? `${text}:00Z` : text;
  return instant !== null && parseTime(instant) !== null ? instant : null;
}

const columns: readonly Column<ActivityLine>[] = [
  { label: "What", isName: true, cell: ({ what }) => what },
  { label: "From", cell: ({ from }) => (from === "audit" ? "request" : "event") },
  { label: "Times", cell: ({ count }) => formatCount(count) },
  { label: "First", cell: ({ first }) => <Time ts={first} /> },
  { label: "Last", cell: ({ last }) => <Time ts={last} /> },
];

interface ActivityProps extends ShownActivity {
  /** The path of the token. */
  path: string;
  name: string;
}

export const Activity = ({ path, name, days, since, lines }: ActivityProps) => (
  <section id="activity">
    <div class="head">
      <h2>What was done with it</h2>
      <nav class="tabs" aria-label="Since">
        {Object.entries(periods).map(([one, label]) => (
          <a key={one} href={`${path}?days=${one}#activity`} aria-current={one === days ? "true" : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <form method="get" action={`${path}#activity`} class="inline">
        <label>
          Since, UTC{" "}
          <input
            type="datetime-local"
            name="since"
            value={days === undefined ? since.slice(0, 16) : ""}
            required
          />
        </label>
        <button type="submit">Show</button>
      </form>
    </div>
    {lines.length === 0 ? (
      <EmptyState title="Nothing since then.">
        <p>Requests that only read are not recorded.</p>
      </EmptyState>
    ) : (
      <Table
        label={`What was done with ${name}`}
        columns={columns}
        rows={lines}
        keyOf={({ from, what }) => from + what}
      />
    )}
    <p class="soft">
      <a href={`/settings/audit?token=${name}`}>Each request, in the audit log</a>
    </p>
  </section>
);
