/** @jsxImportSource preact */
/** A line diff of two texts, with a few lines of context. */
import { type StructuredPatchHunk, structuredPatch } from "diff";
import { formatBytes, formatCount } from "../../format.ts";
import { EmptyState } from "../../layout.tsx";
import { textBytesMax } from "../asset-text.ts";

const contextLines = 3;
/** The diff blocks the event loop, so comparing two unrelated texts is aborted after this many ms. */
const timeoutMs = 150;
const linesMax = 4_000;

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
  const lines = patch.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  if (lines > linesMax) return { why: `The changes are too many to list: ${formatCount(lines)} lines.` };
  return patch;
}

interface Props {
  hunks: StructuredPatchHunk[];
  names: [string, string];
}

export function TextDiff({ hunks, names }: Props) {
  if (hunks.length === 0) return <EmptyState title="No lines changed." />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section class="difference-text" tabIndex={0} aria-label={`Changes from ${names[0]} to ${names[1]}`}>
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Old line</th>
            <th scope="col">New line</th>
            <th scope="col">Change</th>
            <th scope="col">Text</th>
          </tr>
        </thead>
        {hunks.map((hunk) => (
          <Hunk key={hunk.oldStart} hunk={hunk} />
        ))}
      </table>
    </section>
  );
}

const changes = { "+": ["added", "+"], "-": ["removed", "−"], " ": ["same", ""] } as const;

function Hunk({ hunk }: { hunk: StructuredPatchHunk }) {
  let [before, after] = [hunk.oldStart, hunk.newStart];
  return (
    <tbody>
      {hunk.lines
        .filter((line) => !line.startsWith("\\"))
        .map((line) => {
          const sign = line[0] as keyof typeof changes;
          const [name, shown] = changes[sign];
          const old = sign === "+" ? "" : before++;
          const fresh = sign === "-" ? "" : after++;
          return (
            <tr key={`${old} ${fresh}`} class={name}>
              <td class="number">{old}</td>
              <td class="number">{fresh}</td>
              <td>
                <span aria-hidden="true">{shown}</span>
                {sign !== " " && <span class="visually-hidden">{name}</span>}
              </td>
              <td class="text">{line.slice(1)}</td>
            </tr>
          );
        })}
    </tbody>
  );
}
