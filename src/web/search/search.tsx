/** The search page, and the options of the palette, which the search box of every page opens. */
import { renderToString } from "preact-render-to-string";
import { search } from "../../overview/operations/memory.ts";
import type { SearchResult, SearchResults } from "../../overview/search/schema.ts";
import { pluralize } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { Options } from "./options.tsx";
import { Facts, groupTitles, isExternal, linkOf, Marked } from "./result.tsx";
import { findSitePages, pathOfPage } from "./site-pages.ts";

/** Results per group: on the page, and in the palette. */
const [pageLimit, paletteLimit] = [10, 4];

const queryOf = ({ url }: View): string => url.searchParams.get("query")?.trim() ?? "";

/** With `jump`, as the box sends it, a query that names one thing leads there. */
export async function searchPage(view: View): Promise<Page | Response> {
  const query = queryOf(view);
  const results = query === "" ? null : await find(view, query, pageLimit);
  if (results && view.url.searchParams.has("jump")) {
    const path = results.jump?.url ? linkOf(view, results.jump.url) : pathOfPage(view, query);
    if (path !== undefined) return redirectTo(path);
  }
  const body = (
    <div class="search-page">
      <h1>Search</h1>
      <div id="results">{results ? <Results view={view} query={query} results={results} /> : <Hint />}</div>
    </div>
  );
  return { title: query === "" ? "Search" : `${query} · Search`, navEntry: null, body };
}

/** The options of the palette. */
export async function searchResults(view: View): Promise<string> {
  const query = queryOf(view);
  const results = query === "" ? null : await find(view, query, paletteLimit);
  return renderToString(<Options view={view} query={query} results={results} />);
}

const find = (view: View, query: string, limit: number) =>
  callOperation<SearchResults>(view, search, { query, limit });

const redirectTo = (location: string) =>
  new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });

const Hint = () => (
  <p class="soft">
    Search tasks, runs, projects, assets, decisions, guidance, events, and the documentation. <code>#12</code>
    , <code>PROJ-123</code>, <code>atlas#12</code>, <code>run 1588</code>, <code>decision 27</code>, the name
    of a project or an agent, and the SHA-256 or the public URL of a file lead to what they name. Drop a file
    here to see which asset it is.
  </p>
);

interface ResultsProps {
  view: View;
  query: string;
  results: SearchResults;
}

function Results({ view, query, results: { jump, groups, count: found } }: ResultsProps) {
  const pages = findSitePages(view, query);
  const count = found + pages.length + (jump ? 1 : 0);
  return (
    <>
      <p class="soft" role="status">
        {count === 0 ? "No results" : pluralize(count, "result")} for “{query}”
      </p>
      {jump && (
        <section class="found jump">
          <h2>Jump to</h2>
          <ol>
            <Result view={view} result={jump} />
          </ol>
        </section>
      )}
      {pages.length > 0 && (
        <section class="found">
          <h2>Pages</h2>
          <ol>
            {pages.map(({ title, path }) => (
              <li key={path}>
                <a class="found-title" href={path}>
                  {title}
                </a>
              </li>
            ))}
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
      {count === 0 &&
        (isHash.test(query) ? (
          <EmptyState title="No asset that you can see has this file." />
        ) : (
          <EmptyState title="No results.">
            <p>Try fewer or different words.</p>
          </EmptyState>
        ))}
    </>
  );
}

const isHash = /^(?:sha256:)?[0-9a-f]{64}$/i;

function Result({ view, result }: { view: View; result: SearchResult }) {
  const { title, text, url, matched } = result;
  const inner = <Marked text={title} matched={matched} />;
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
      <p class="soft">
        <Facts result={result} />
      </p>
    </li>
  );
}
