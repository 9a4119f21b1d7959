/** @jsxImportSource preact */
/** The digests of the memory page: what svc remembers of each day, and when it summarized events into it. */

import { getFeed } from "../../feed/operations/feed.ts";
import type { Event, FeedPage } from "../../feed/schema.ts";
import type { Digest, DigestList } from "../../memory/list-schemas.ts";
import { getDigests } from "../../memory/operations.ts";
import { formatCost, formatCount, formatLongDate } from "../format.ts";
import { EmptyState, hasScope } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, urlWith, type View } from "../view.ts";
import { WideTable } from "./wide-table.tsx";

const daysPerPage = 31;
const summariesMax = 30;

export async function digestsSection(view: View, project: string | undefined) {
  const [digests, summaries] = await Promise.all([
    project === undefined
      ? null
      : callOperation<DigestList>(view, getDigests, {
          slug: project,
          limit: daysPerPage,
          ...filtersOf(view.url, ["before"]),
        }),
    hasScope(view, "feed:read")
      ? callOperation<FeedPage>(view, getFeed, { project, kind: "memory.consolidated", limit: summariesMax })
      : null,
  ]);
  return (
    <>
      {digests && <Days view={view} digests={digests} />}
      <section>
        <h2>Summaries{project && ` of ${project}`}</h2>
        <p class="soft">
          <code>svc consolidate</code> adds up the events of each day. Briefs carry the newest days.
          {project === undefined && " Choose a project to see its days."}
        </p>
        {summaries && <Summaries view={view} project={project} events={summaries.events} />}
      </section>
    </>
  );
}

function Days({ view, digests: { digests, next_before } }: { view: View; digests: DigestList }) {
  if (digests.length === 0)
    return (
      <EmptyState title="No digests yet.">
        <p>
          <code>svc consolidate</code> makes them. Run it once a day, for example from cron.
        </p>
      </EmptyState>
    );
  return (
    <section>
      <h2>Days</h2>
      <WideTable label="Days" heads={["Day (UTC)", "Runs", "Failed", "Merged", "Tokens", "Cost"]}>
        {digests.map((digest) => (
          <Row key={digest.day} digest={digest} />
        ))}
      </WideTable>
      {next_before && (
        <p class="older">
          <a class="button" href={urlWith(view.url, { before: next_before })} rel="next">
            Older days
          </a>
        </p>
      )}
    </section>
  );
}

const Row = ({
  digest: { day, runs, failures, merges, tokens_in, tokens_out, cost_equiv },
}: {
  digest: Digest;
}) => (
  <tr>
    <th scope="row">{formatLongDate(day)}</th>
    <td>{runs}</td>
    <td class={failures > 0 ? "bad" : undefined}>{failures}</td>
    <td>{merges}</td>
    <td>{formatCount(tokens_in + tokens_out)}</td>
    <td>{formatCost(cost_equiv)}</td>
  </tr>
);

interface SummariesProps {
  view: View;
  /** The project that is open; its summaries need no links. */
  project: string | undefined;
  events: Event[];
}

function Summaries({ view, project: open, events }: SummariesProps) {
  if (events.length === 0) return <EmptyState title="Nothing has been summarized yet." />;
  return (
    <ol class="decisions">
      {events.map(({ id, ts, project, summary }) => (
        <li key={id}>
          <p>
            {project && !open && (
              <>
                <a href={urlWith(view.url, { view: "digests", project })}>{project}</a>:{" "}
              </>
            )}
            {summary}
          </p>
          <p class="soft">
            <Time ts={ts} />
          </p>
        </li>
      ))}
    </ol>
  );
}
