/** @jsxImportSource preact */
/** The search page, and the results that the search box of every page loads. */
import { Fragment, type VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { search } from "../../overview/operations/memory.ts";
import { matchedWords } from "../../overview/search/excerpt.ts";
import type { SearchGroupName, SearchResult, SearchResults } from "../../overview/search/schema.ts";
import { pluralize } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Page, type View } from "../view.ts";

const groupTitles: Record<SearchGroupName, string> = {
  tasks: "Tasks",
  projects: "Projects",
  assets: "Assets",
  memory: "Memory",
  runs: "Runs",
  events: "Events",
  docs: "Documentation",
};

/** Results per group: on the page, and below the box. */
const [pageLimit, boxLimit] = [10, 4];

const queryOf = ({ url }: View): string => url.searchParams.get("query")?.trim() ?? "";

/** With `jump`, as the box sends it, a query that names one thing leads there. */
export async function searchPage(view: View): Promise<Page | Response> {
  const query = queryOf(view);
  const results = query === "" ? null : await find(view, query, pageLimit);
  if (results?.jump?.url && view.url.searchParams.has("jump"))
    return redirectTo(linkOf(view, results.jump.url));
  const body = (
    <div class="search-page">
      <h1>Search</h1>
      <div id="results">{results ? <Results view={view} query={query} results={results} /> : <Hint />}</div>
    </div>
  );
  return { title: query === "" ? "Search" : `${query} · Search`, navEntry: null, body };
}

/** Only the results, for the script of the search box, so that they are rendered in one place. */
export async function searchResults(view: View): Promise<string> {
  const query = queryOf(view);
  const limit = view.url.searchParams.has("all") ? pageLimit : boxLimit;
  if (query === "") return renderToString(<Hint />);
  return renderToString(<Results view={view} query={query} results={await find(view, query, limit)} />);
}

const find = (view: View, query: string, limit: number) =>
  callOperation<SearchResults>(view, search, { query, limit });

const redirectTo = (location: string) =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });

/** Pages of the site by their path: the site URL may be wrong behind a proxy. */
const linkOf = ({ ctx }: View, url: string): string =>
  url.startsWith(`${ctx.config.siteUrl}/`) ? url.slice(ctx.config.siteUrl.length) : url;

const Hint = () => (
  <p class="soft">
    Search projects, assets, decisions, preferences, guidance, events, and the documentation. Type{" "}
    <code>#12</code>, <code>atlas#12</code>, an asset ID, or the name of a project to jump to it.
  </p>
);

interface ResultsProps {
  view: View;
  query: string;
  results: SearchResults;
}

function Results({ view, query, results: { jump, groups, count } }: ResultsProps) {
  return (
    <>
      <p class="soft" role="status">
        {count === 0 && !jump ? "No results" : pluralize(count + (jump ? 1 : 0), "result")} for “{query}”
      </p>
      {jump && (
        <section class="found jump">
          <h2>Jump to</h2>
          <ol>
            <Result view={view} result={jump} />
          </ol>
        </section>
      )}
      {groups.map(({ name, results }) => (
        <section class="found" key={name}>
          <h2>{groupTitles[name]}</h2>
          <ol>
            {results.map((result) => (
              <Result key={`${result.type} ${result.id}`} view={view} result={result} />
            ))}
          </ol>
        </section>
      ))}
      {count === 0 && !jump && (
        <EmptyState title="No results.">
          <p>Try fewer or different words.</p>
        </EmptyState>
      )}
    </>
  );
}

/** Types that the title of their group names. */
const isTitledByGroup = new Set(["task", "project", "asset", "run", "event", "section"]);

function Result({ view, result }: { view: View; result: SearchResult }) {
  const { type, project, title, text, url, ts, matched } = result;
  const inner = <Marked text={title} matched={matched} />;
  const facts = [isTitledByGroup.has(type) ? null : type, type === "project" ? null : project].filter(
    Boolean,
  );
  return (
    <li>
      {url ? (
        <a class="found-title" href={linkOf(view, url)} {...(isExternal(view, url) && { rel: "noreferrer" })}>
          {inner}
        </a>
      ) : (
        <p class="found-title">{inner}</p>
      )}
      {text !== "" && (
        <p class="found-text">
          <Marked text={text} matched={matched} />
        </p>
      )}
      {(facts.length > 0 || ts) && (
        <p class="soft">
          {facts.join(" · ")}
          {facts.length > 0 && ts && " · "}
          {ts && <Time ts={ts} />}
        </p>
      )}
    </li>
  );
}

const isExternal = ({ ctx }: View, url: string): boolean => !url.startsWith(`${ctx.config.siteUrl}/`);

/** Text with its matched words highlighted. */
function Marked({ text, matched }: { text: string; matched: readonly string[] }) {
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
