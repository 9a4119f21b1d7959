/** What a result says on the search page and in the palette. */
import { Fragment, type VNode } from "preact";
import { matchedWords } from "../../overview/search/excerpt.ts";
import type { SearchGroupName, SearchResult } from "../../overview/search/schema.ts";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";

export const groupTitles: Record<SearchGroupName, string> = {
  tasks: "Tasks",
  projects: "Projects",
  assets: "Assets",
  memory: "Memory",
  runs: "Runs",
  events: "Events",
  docs: "Documentation",
};

/** Pages of the site by their path: the site URL may be wrong behind a proxy. */
export const linkOf = ({ ctx }: View, url: string): string =>
  url.startsWith(`${ctx.config.siteUrl}/`) ? url.slice(ctx.config.siteUrl.length) : url;

export const isExternal = ({ ctx }: View, url: string): boolean => !url.startsWith(`${ctx.config.siteUrl}/`);

/** Types that the title of their group names. */
const isTitledByGroup = new Set(["task", "project", "asset", "run", "event", "section"]);

/** Its type, project and time. */
export function Facts({ result: { type, project, ts } }: { result: SearchResult }) {
  const facts = [isTitledByGroup.has(type) ? null : type, type === "project" ? null : project].filter(
    Boolean,
  );
  return (
    <>
      {facts.join(" · ")}
      {facts.length > 0 && ts && " · "}
      {ts && <Time ts={ts} />}
    </>
  );
}

/** Text with its matched words highlighted. */
export function Marked({ text, matched }: { text: string; matched: readonly string[] }) {
  if (matched.length === 0) return text;
  const parts: VNode[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(matchedWords(matched))) {
    parts.push(
      <Fragment key={index}>
        {text.slice(end, index)}
        <mark>{word}</mark>
      </Fragment>,
    );
    end = index + word.length;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
