/** A line diff of two texts, with a few lines of context. */
import { type StructuredPatchHunk, structuredPatch } from "diff";
import { formatBytes } from "../../format.ts";
import { EmptyState } from "../../layout.tsx";
import { textBytesMax } from "../asset-text.ts";
import { partOf } from "../text/text-parts.ts";
import { PartLinks } from "../text/text-viewer.tsx";

const contextLines = 3;
/** The diff blocks the event loop, so comparing two unrelated texts is aborted after this many ms. */
const timeoutMs = 150;

/** The changed lines; a reason instead if they cannot be shown. */
export type LineDiff = { hunks: StructuredPatchHunk[]; note?: string } | { why: string };

/** @param older null: it is too large, or no text */
export function diffLines(older: string | null, newer: string | null): LineDiff {
  if (older === null || newer === null)
    return { why: `One of these files is larger than ${formatBytes(textBytesMax)}, or not UTF-8 text.` };
  const patch = structuredPatch("", "", older, newer, undefined, undefined, {
    context: contextLines,
    timeout: timeoutMs,
  });
  if (!patch) return { why: "These files are too different to compare line by line." };
  return patch;
}

interface Props {
  hunks: StructuredPatchHunk[];
  names: [string, string];
  /** Of the page: it names the part that is shown. */
  url: URL;
}

export function TextDiff({ hunks, names, url }: Props) {
  if (hunks.length === 0) return <EmptyState title="No lines changed." />;
  const lines = hunks.flatMap(linesOf);
  const part = partOf(
    lines.map(({ text }) => text),
    url,
  );
  const shown = Map.groupBy(lines.slice(part.from - 1, part.to), ({ hunk }) => hunk);
  return (
    <>
      <section
        class="difference-text"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
        tabIndex={0}
        aria-label={`Changes from ${names[0]} to ${names[1]}`}
      >
        <table>
          <thead class="visually-hidden">
            <tr>
              <th scope="col">Old line</th>
              <th scope="col">New line</th>
              <th scope="col">Change</th>
              <th scope="col">Text</th>
            </tr>
          </thead>
          {[...shown].map(([hunk, lines]) => (
            <tbody key={hunk.oldStart}>
              {lines.map((line) => (
                <Line key={`${line.before} ${line.after}`} line={line} />
              ))}
            </tbody>
          ))}
        </table>
      </section>
      <PartLinks part={part} of="the changes" />
    </>
  );
}

const changes = { "+": ["added", "+"], "-": ["removed", "−"], " ": ["same", ""] } as const;

interface DiffLine {
  hunk: StructuredPatchHunk;
  sign: keyof typeof changes;
  text: string;
  /** Its number in the older text, and in the newer one; empty if it is not in it. */
  before: number | "";
  after: number | "";
}

function linesOf(hunk: StructuredPatchHunk): DiffLine[] {
  let [before, after] = [hunk.oldStart, hunk.newStart];
  return hunk.lines
    .filter((line) => !line.startsWith("\\"))
    .map((line) => {
      const sign = line[0] as keyof typeof changes;
      return {
        hunk,
        sign,
        text: line.slice(1),
        before: sign === "+" ? "" : before++,
        after: sign === "-" ? "" : after++,
      };
    });
}

function Line({ line: { sign, text, before, after } }: { line: DiffLine }) {
  const [name, shown] = changes[sign];
  return (
    <tr class={name}>
      <td class="number">{before}</td>
      <td class="number">{after}</td>
      <td>
        <span aria-hidden="true">{shown}</span>
        {sign !== " " && <span class="visually-hidden">{name}</span>}
      </td>
      <td class="text">{text}</td>
    </tr>
  );
}
