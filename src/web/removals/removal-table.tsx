/** What was taken back, by whom, when and why. */
import type { Removal, RemovalList } from "../../library/removals/schema.ts";
import { Actor } from "../actor.tsx";
import { type Column, Table } from "../lists/table.tsx";
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
      <Table
        label="What was taken back"
        columns={columns}
        rows={removals}
        keyOf={({ kind, subject }) => `${kind} ${subject}`}
      />
    )}
    {next_cursor && <a href={`?cursor=${next_cursor}`}>Older</a>}
  </section>
);

const Subject = ({ removal: { kind, subject } }: { removal: Removal }) => {
  if (kind === "publication" || kind === "file") return <a href={`/assets/${subject}`}>asset</a>;
  return kind === "decision" ? (
    <a href={`/memory/decisions/${subject}`}>{subject}</a>
  ) : (
    <span>{subject}</span>
  );
};

const columns: readonly Column<Removal>[] = [
  {
    label: "What",
    isName: true,
    cell: (removal) => (
      <>
        {removalTitle(removal)} <Subject removal={removal} />
      </>
    ),
  },
  { label: "Project", cell: ({ project }) => project ?? "–" },
  {
    label: "When",
    cell: ({ removed_at, finished_at }) => (
      <>
        <Time ts={removed_at} />
        {finished_at === null && <span class="soft"> (not finished)</span>}
      </>
    ),
  },
  { label: "By", cell: ({ removed_by }) => <Actor of={removed_by} /> },
  { label: "Reason", class: "grow", cell: ({ reason }) => reason },
];
