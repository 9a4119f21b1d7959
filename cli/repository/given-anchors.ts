/** The files that a command says a decision speaks of. */
import { escapeControls } from "../../src/core/lib/strings/display-text.ts";
import { UsageError } from "../command-errors.ts";
import type { FoundAnchor } from "./anchor-states.ts";
import { anchorsIn, givenAnchors } from "./find-anchors.ts";

export const anchorsFlag = {
  anchors: { type: "string", description: "Files that it speaks of, with commas: src/a.ts,src/b.ts#name" },
} as const;

/** As given, or else as a text names what is in this checkout. */
export function findAnchors(text: string, given: string | undefined): FoundAnchor[] {
  const folder = process.cwd();
  if (given === undefined) return anchorsIn(folder, text);
  const found = givenAnchors(folder, given.split(","));
  if (typeof found === "string") throw new UsageError(`--anchors: ${found} is not in the last commit.`);
  return found;
}

export const anchorText = (anchors: readonly FoundAnchor[]): string =>
  anchors.length === 0 ? "" : ` It speaks of ${anchors.map(nameOf).join(", ")}.`;

const nameOf = ({ path, symbol }: FoundAnchor): string =>
  escapeControls(symbol === undefined ? path : `${path}#${symbol}`);
