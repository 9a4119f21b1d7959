/** The search box in the header of every page. Without scripts, it is a form that opens the search page. */

export function SearchBox({ url }: { url: URL }) {
  const isSearchPage = url.pathname === "/search";
  return (
    <search class="search">
      <form id="search-form" action="/search">
        <input
          type="search"
          name="query"
          id="search-box"
          aria-label="Search"
          aria-keyshortcuts="/ Control+K"
          placeholder="Search"
          autocomplete="off"
          spellcheck={false}
          maxLength={500}
          value={isSearchPage ? (url.searchParams.get("query") ?? "") : undefined}
        />
        <kbd>/</kbd>
        {/* For those who do not press Enter, such as with speech; Tab has the box itself. */}
        <button type="submit" class="visually-hidden" tabIndex={-1}>
          Search
        </button>
        {!isSearchPage && <input type="hidden" name="jump" value="1" />}
      </form>
    </search>
  );
}
