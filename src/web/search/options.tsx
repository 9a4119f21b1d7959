/** The results of the palette: options of its list, which the script moves through. */
import type { ComponentChildren } from "preact";
import type { SearchResult, SearchResults } from "../../overview/search/schema.ts";
import type { View } from "../view.ts";
import { Facts, groupTitles, isExternal, linkOf, Marked } from "./result.tsx";
import { findSitePages } from "./site-pages.ts";

interface OptionsProps {
  view: View;
  query: string;
  /** Null for an empty query. */
  results: SearchResults | null;
}

export function Options({ view, query, results }: OptionsProps) {
  const pages = findSitePages(view, query);
  return (
    <>
      {results?.jump && (
        <Group title="Jump to">
          <Option view={view} result={results.jump} />
        </Group>
      )}
      {pages.length > 0 && (
        <Group title="Pages">
          {pages.map(({ title, path }) => (
            <a key={path} role="option" href={path} tabIndex={-1} aria-selected={false}>
              <span class="option-title">{title}</span>
            </a>
          ))}
        </Group>
      )}
      {results?.groups.map(({ name, results }) => (
        <Group key={name} title={groupTitles[name]}>
          {results.map((result) => (
            <Option key={`${result.type} ${result.id}`} view={view} result={result} />
          ))}
        </Group>
      ))}
      {results && (
        <Group title="More">
          <a
            role="option"
            href={`/search?${new URLSearchParams({ query })}`}
            tabIndex={-1}
            aria-selected={false}
          >
            <span class="option-title">All results for “{query}”</span>
          </a>
        </Group>
      )}
    </>
  );
}

const Group = ({ title, children }: { title: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/useSemanticElements: a list of options has groups, and no fieldsets
  <div role="group" aria-label={title}>
    <div class="options-title" aria-hidden="true">
      {title}
    </div>
    {children}
  </div>
);

/** A result without a page is not offered. */
const Option = ({ view, result }: { view: View; result: SearchResult }) =>
  result.url && (
    <a
      role="option"
      href={linkOf(view, result.url)}
      tabIndex={-1}
      aria-selected={false}
      {...(isExternal(view, result.url) && { rel: "noreferrer" })}
    >
      <span class="option-title">
        <Marked text={result.title} matched={result.matched} />
      </span>
      <span class="option-facts soft">
        <Facts result={result} />
      </span>
      {result.text !== "" && (
        <span class="option-text soft">
          <Marked text={result.text} matched={result.matched} />
        </span>
      )}
    </a>
  );
