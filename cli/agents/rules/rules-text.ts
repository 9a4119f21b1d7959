/**
 * The block of rules: the confirmed decisions of a project, for agents that read a file and run no hook. The
 * same decisions give the same lines on any day.
 */
import { actorName } from "../../../src/core/auth/actor-name.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { reviewSource } from "../../../src/memory/set-ref.ts";
import type { Schemas } from "../../client/client.ts";

export type RulesDecision = Pick<
  Schemas["DecisionRecord"],
  "id" | "text" | "source" | "actor" | "valid_from" | "standing"
>;

/** Codex reads 32 KiB of rules in all, and cuts the rest without a word: a block leaves room for others. */
const blockBytesMax = 2_048;
const textBytesMax = 280;

export const beginLine = (project: string): string =>
  `<!-- svc rules begin ${project}: svc writes these lines; change the decisions in svc -->`;
export const endLine = (project: string): string => `<!-- svc rules end ${project} -->`;

/** The lines of the block: decisions before rejections, the newest first, as many as fit. */
export function rulesBlock(project: string, decisions: readonly RulesDecision[]): string[] {
  const confirmed = decisions
    .filter(({ standing }) => standing === "confirmed")
    .toSorted((a, b) => b.valid_from.localeCompare(a.valid_from) || b.id - a.id);
  const newest = confirmed[0]?.valid_from.slice(0, 10);
  const listed = [...confirmed.filter(isPlain), ...confirmed.filter((one) => !isPlain(one))].map(ruleLine);
  const head = [beginLine(project), `## Decisions of ${project}`, "", introduction(project, newest), ""];
  const blockOf = (count: number): string[] => [
    ...head,
    ...listed.slice(0, count),
    ...(count < listed.length ? [`- ${listed.length - count} more are in the brief.`] : []),
    endLine(project),
  ];
  let count = listed.length;
  while (count > 0 && bytes(blockOf(count).join("\n")) > blockBytesMax) count--;
  return blockOf(count);
}

const introduction = (project: string, newest: string | undefined): string =>
  newest === undefined
    ? "No decision is confirmed yet."
    : `Confirmed by people, the newest on ${newest}. ` +
      `The whole texts: \`svc brief ${project}\` or the tool svc_brief.`;

const isPlain = ({ source }: RulesDecision): boolean => source !== reviewSource;

const bytes = (text: string): number => Buffer.byteLength(text);

function ruleLine(decision: RulesDecision): string {
  const { id, text, actor, valid_from } = decision;
  const what = isPlain(decision) ? "Decision" : "Rejection, decision";
  return `- ${inertLine(`${what} ${id} (${actorName(actor)}, ${valid_from.slice(0, 10)}): ${cut(text)}`)}`;
}

function cut(text: string): string {
  if (bytes(text) <= textBytesMax) return text;
  let end = textBytesMax;
  while (bytes(text.slice(0, end)) > textBytesMax - 3) end--;
  return `${text
    .slice(0, end)
    .toWellFormed()
    .replace(/\ufffd$/, "")
    .trimEnd()}…`;
}

/**
 * Text as a part of one line that is text wherever the file is read: it opens and closes no HTML comment, and
 * imports no file, as `@path` does in the rules of Claude Code and Gemini CLI.
 */
const inertLine = (text: string): string =>
  escapeControls(text.replace(/\s+/g, " ").trim())
    .replaceAll("<!--", "&lt;!--")
    .replaceAll("-->", "--&gt;")
    .replace(/(^|[\s(])@/g, "$1\\@");
