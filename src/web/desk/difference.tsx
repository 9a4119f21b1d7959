/** @jsxImportSource preact */
/** What changed between two texts, by lines, a few around each change. */
import { type StructuredPatchHunk, structuredPatch } from "diff";
import { Empty } from "../layout.tsx";

const contextLines = 3;
/**
 * A reader waits, and so does everybody else: two texts that have nothing in common are not compared to the
 * end.
 */
const patienceMs = 150;
const linesMax = 4_000;

interface Props {
  older: string | null;
  newer: string | null;
  names: [string, string];
}

export function Difference({ older, newer, names }: Props) {
  if (older === null || newer === null)
    return <Empty title="These texts are not compared here: one is too long for that, or no UTF-8." />;
  const patch = structuredPatch(...names, older, newer, undefined, undefined, {
    context: contextLines,
    timeout: patienceMs,
  });
  if (!patch) return <Empty title="These texts have too little in common to be compared line by line." />;
  if (patch.hunks.length === 0) return <Empty title="The texts are the same." />;
  const lines = patch.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  if (lines > linesMax) return <Empty title={`${lines} lines differ: too many to read here.`} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="difference-text" tabIndex={0} aria-label={`From ${names[0]} to ${names[1]}`}>
      <table>
        <thead class="unseen">
          <tr>
            <th scope="col">Line before</th>
            <th scope="col">Line after</th>
            <th scope="col">Change</th>
            <th scope="col">Text</th>
          </tr>
        </thead>
        {patch.hunks.map((hunk) => (
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
                {sign !== " " && <span class="unseen">{name}</span>}
              </td>
              <td class="text">{line.slice(1)}</td>
            </tr>
          );
        })}
    </tbody>
  );
}
