/** @jsxImportSource preact */
/** What was taken back, by whom, when and why. */
import type { Removal, RemovalList } from "../../library/removals/schema.ts";
import { Actor } from "../actor.tsx";
import { Time } from "../time.tsx";

const titles: Record<Removal["kind"], string> = {
  publication: "Unpublished",
  file: "Files deleted",
  event: "Event redacted",
  annotation: "Annotation redacted",
  decision: "Decision redacted",
  person: "Person erased",
  project: "Project removed",
};

/** The title of a removal. */
export const removalTitle = ({ kind }: Pick<Removal, "kind">): string => titles[kind];

export const RemovalTable = ({ list: { removals, next_cursor } }: { list: RemovalList }) => (
  <section>
    <h2>Taken back</h2>
    {removals.length === 0 ? (
      <p class="soft">Nothing was taken back yet.</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
      <section class="wide-table" tabIndex={0} aria-label="What was taken back">
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Project</th>
              <th scope="col">When</th>
              <th scope="col">By</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {removals.map((removal) => (
              <Row key={`${removal.kind} ${removal.subject}`} removal={removal} />
            ))}
          </tbody>
        </table>
      </section>
    )}
    {next_cursor && <a href={`?cursor=${next_cursor}`}>Older</a>}
  </section>
);

const Row = ({ removal }: { removal: Removal }) => (
  <tr>
    <th scope="row">
      {removalTitle(removal)} <Subject removal={removal} />
    </th>
    <td>{removal.project ?? "–"}</td>
    <td>
      <Time ts={removal.removed_at} />
      {removal.finished_at === null && <span class="soft"> (not finished)</span>}
    </td>
    <td>
      <Actor of={removal.removed_by} />
    </td>
    <td class="grow">{removal.reason}</td>
  </tr>
);

const Subject = ({ removal: { kind, subject } }: { removal: Removal }) => {
  if (kind === "publication" || kind === "file") return <a href={`/assets/${subject}`}>asset</a>;
  return kind === "decision" ? (
    <a href={`/memory/decisions/${subject}`}>{subject}</a>
  ) : (
    <span>{subject}</span>
  );
};
