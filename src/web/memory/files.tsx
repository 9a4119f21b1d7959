/** The files that a decision speaks of: a form to change them, and what to do once they are gone. */

import type { AnchorInput } from "../../memory/anchor-schema.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { hasScope, PostForm, Submit } from "../layout.tsx";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";
import { decisionUrl } from "./decision-list.tsx";
import { onToday } from "./proposal.tsx";

type Anchored = Pick<DecisionDetail, "id" | "anchors" | "gone_at">;

interface FilesProps {
  view: View;
  decision: Anchored;
  /** The page that the form is on, which it leads back to. */
  at?: "today" | "asset";
}

/** `src/price.ts#roundPrice` */
const lineOf = ({ path, symbol }: Pick<DecisionDetail["anchors"][number], "path" | "symbol">): string =>
  symbol === null ? path : `${path}#${symbol}`;

/** One file in a line. What a decision has already keeps the id that it had then. */
export const anchorsOfText = (text: string, known: DecisionDetail["anchors"]): AnchorInput[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const same = known.find((anchor) => lineOf(anchor) === line);
      const at = line.indexOf("#", 1);
      const [path, symbol] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
      return { path, ...(symbol && { symbol }), ...(same?.blob && { blob: same.blob }) };
    });

const rowsMax = 8;

/** Asks a person about a decision whose files are gone. */
export function GoneFiles({ view, decision, at }: FilesProps) {
  if (decision.gone_at === null || !hasScope(view, "assets:review")) return null;
  const url = decisionUrl(decision);
  return (
    <div class="stack">
      <p class="notice">
        The default branch has none of the files that this decision speaks of, since{" "}
        <Time ts={decision.gone_at} as="exact" />. Until you answer, it comes after others in briefs and
        recall.
      </p>
      <PostForm view={view} class="stack proposal" action={`${url}/anchors`}>
        {at === "today" && <input type="hidden" name={onToday} value="" />}
        <p class="buttons">
          <button type="submit" class="primary" aria-keyshortcuts="A" name="files" value="">
            Keep it
          </button>
          {hasScope(view, "memory:write") && (
            <button type="submit" class="danger" formAction={`${url}/retire`} aria-keyshortcuts="R">
              Retire
            </button>
          )}
        </p>
        <p class="soft">To keep it is to say that it applies without its files.</p>
      </PostForm>
      <FilesForm view={view} decision={decision} {...(at && { at })} />
    </div>
  );
}

/** The files in lines, to change. */
export function FilesForm({ view, decision, at }: FilesProps) {
  if (!hasScope(view, "assets:review")) return null;
  const lines = decision.anchors.map(lineOf);
  return (
    <PostForm view={view} class="stack proposal files" action={`${decisionUrl(decision)}/anchors`}>
      {at === "today" && <input type="hidden" name={onToday} value="" />}
      {at === "asset" && <input type="hidden" name="asset" value="" />}
      <label>
        Files it speaks of
        <textarea
          name="files"
          rows={Math.min(rowsMax, Math.max(2, lines.length))}
          maxLength={4096}
          placeholder="src/price.ts or src/price.ts#roundPrice, one in a line"
          aria-keyshortcuts="F"
        >
          {lines.join("\n")}
        </textarea>
      </label>
      <Submit text="Save these files" />
    </PostForm>
  );
}
