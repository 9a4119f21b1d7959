/** Finds every row that a text of an event, an annotation or a decision stands in. */
import type { Viewer } from "../../core/auth/caller.ts";
import { escapeControls } from "../../core/lib/strings/display-text.ts";
import type { AffectedRow, ExportedRow, Rewriting, RowFilter } from "../../core/maintenance.ts";
import { badRequest, notFound } from "../../core/problem.ts";
import { readEvent } from "../../feed/render-event.ts";
import type { EventRow } from "../../feed/schema.ts";
import { requireDecision } from "../../memory/decision-history.ts";
import { summaryOf } from "../../memory/decisions.ts";
import { reviewSource } from "../../memory/set-ref.ts";
import type { LibraryReads } from "../port.ts";
import type { redactedKinds } from "./schema.ts";

/** The texts to look for, in rows of one project. */
interface Wanted {
  project: string | null;
  /** The event or annotation itself. */
  own: Record<string, string | number>;
  texts: string[];
  /** The asset whose reviews a decision was made of. */
  asset?: string | null;
}

type RedactedKind = (typeof redactedKinds)[number];

/** The reads of a request or a transaction, and the rows that a rewriting changes. */
export interface Finding {
  reads: LibraryReads;
  affected(rewriting: Rewriting): Promise<AffectedRow[]>;
}

/** The rows that hold the text of a subject, and its project. @throws 404 */
export async function findText(
  finding: Finding,
  { kind, subject }: { kind: RedactedKind; subject: string },
  caller: Viewer,
): Promise<{ project: string | null; rows: AffectedRow[] }> {
  const { affected } = finding;
  const wanted = await wantedBy[kind](finding, subject, caller);
  const rows = await affected(finderOf(wanted));
  const ids = rows.filter(({ table }) => table === "events").map(({ row }) => row.id as number);
  const sent = ids.map((value) => ({ spans: { first: "first_event", last: "last_event", value } }));
  const deliveries = { tables: { webhook_deliveries: sent }, change: () => null };
  if (sent.length > 0) rows.push(...(await affected(deliveries)));
  return { project: wanted.project, rows };
}

const wantedBy: Record<RedactedKind, (finding: Finding, subject: string, caller: Viewer) => Promise<Wanted>> =
  {
    async event({ reads, affected }, subject, caller) {
      const id = numberOf(subject);
      const ts = await reads.eventTime(id);
      const [found] =
        ts === null ? [] : await reads.feed(caller.projects, { after: ts - 1, before: ts + 1, limit: 1 });
      if (!found) throw notFound(`No event ${subject}, or this token may not see its project.`);
      const { project, kind, summary } = readEvent(found);
      const column = quoting[kind];
      if (!column) return { project, own: { events: id }, texts: [] };
      const table = `${column === "text" ? "decision" : "annotation"}s`;
      const isSource = (text: string) => summaryOf(text) === summary || quotes(summary, text);
      const sources = await affected({
        tables: { [table]: [{ equals: { project } }] },
        change: (_, row) => (isSource(row[column] as string) ? null : row),
      });
      return { project, own: { events: id }, texts: sources.map(({ row }) => row[column] as string) };
    },
    async decision({ reads }, subject, caller) {
      const { project, text, source, source_ref } = await requireDecision(reads, numberOf(subject), caller);
      return { project, own: {}, texts: [text], asset: source === reviewSource ? source_ref : null };
    },
    async annotation({ reads }, subject, caller) {
      const found = await reads.annotation(caller.projects, subject);
      if (!found) throw notFound(`No annotation ${subject}, or this token may not see its project.`);
      return { project: found.project, own: { annotations: found.id }, texts: [found.body] };
    },
  };

/** The kinds of events that quote other rows, and the column that they quote. */
const quoting: Partial<Record<EventRow["kind"], "text" | "body">> = {
  "decision.captured": "text",
  "decision.confirmed": "text",
  "decision.retired": "text",
  "check.stopped": "text",
  "asset.commented": "body",
};

function numberOf(subject: string): number {
  if (!/^[1-9]\d{0,15}$/.test(subject)) throw badRequest("The ID of an event or a decision is a number.");
  return Number(subject);
}

function finderOf({ project, own, texts, asset }: Wanted): Rewriting {
  const isIn = (value: unknown) =>
    typeof value === "string" &&
    texts.some((text) => value === text || value === summaryOf(text) || quotes(value, text));
  const isPart = (value: unknown) => Boolean(value) && texts.some((text) => text.includes(value as string));
  const within = (table: string, column: string, equals: RowFilter["equals"] = { project }): RowFilter[] => [
    ...(own[table] === undefined ? [] : [{ equals: { id: own[table] } }]),
    ...texts.map((text) => ({ equals, contains: { columns: [column], words: wordsIn(text) } })),
  ];
  const ofAsset = (column: string) => (asset ? [{ equals: { [column]: asset } }] : []);
  const isFound: Record<string, (row: ExportedRow) => boolean> = {
    // safe because: these are its columns
    events: (row) => isIn(readEvent(row as { ts: number; wire: string }).summary),
    annotations: ({ body }) => isIn(body),
    decisions: ({ text }) => isIn(text),
    notes: ({ text }) => isIn(text),
    verdicts: ({ note }) => isIn(note) || isPart(note),
    assets: ({ review_note }) => isIn(review_note) || isPart(review_note),
    briefs: ({ text }) => isIn(text),
    outbox: ({ body }) => isIn(body),
  };
  return {
    tables: {
      events: within("events", "wire", { project, kind: Object.keys(quoting) }),
      annotations: within("annotations", "body"),
      decisions: within("decisions", "text"),
      notes: within("notes", "text"),
      verdicts: [...within("verdicts", "note"), ...ofAsset("asset")],
      assets: [...within("assets", "review_note"), ...ofAsset("id")],
      briefs: within("briefs", "text"),
      outbox: within("outbox", "body", {}),
    },
    change: (table, row) => (row.id === own[table] || isFound[table]?.(row) ? null : row),
  };
}

/**
 * Shorter texts stand inside of others by chance, and count where they begin and end a quote; of longer ones,
 * others may show only the beginning.
 */
const [quotedMin, quotedMax] = [8, 80];

const flat = (text: string): string => escapeControls(text.replace(/\s+/g, " ").trim());
const beginningOf = (text: string): string => flat(text).slice(0, quotedMax);

function quotes(value: string, text: string): boolean {
  const beginning = beginningOf(text);
  if (beginning.length >= quotedMin) return flat(value).includes(beginning);
  return beginning !== "" && value.split("\n").some((line) => isQuotedIn(flat(line), beginning));
}

/** Whether a short text is all that follows a colon, a dash, or a quotation mark. */
function isQuotedIn(line: string, text: string): boolean {
  for (let at = line.indexOf(text); at >= 0; at = line.indexOf(text, at + 1)) {
    const [before, after] = [line.slice(0, at), line.slice(at + text.length)];
    if (/(?:^|: |[-–—*] |["“'‘])$/.test(before) && /^(?:$|["”'’]| [([—–-])/.test(after)) return true;
  }
  return false;
}

/** What a row that quotes a text contains, as it is and in JSON. */
function wordsIn(text: string): string[] {
  const line = summaryOf(text).slice(0, quotedMax);
  return [line, JSON.stringify(line).slice(1, -1)];
}
