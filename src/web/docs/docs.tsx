/** The documentation pages: contents, one page, links to the previous and next. `.md` serves the Markdown. */
import { type DocEntry, entries, sidebar } from "../../api/docs/contents.ts";
import { type DocPage, docPage, stripAnchors } from "../../api/docs/page.ts";
import { perObject } from "../../core/lib/cache.ts";
import { notFound } from "../../core/problem.ts";
import type { Page, View } from "../view.ts";
import { type Heading, type Rendered, renderMarkdown } from "./markdown.ts";

const renderDoc = perObject((page: DocPage): Rendered => {
  const doc = renderMarkdown(page.markdown);
  return page.name === "api" ? { ...doc, html: foldSections(doc.html) } : doc;
});

export async function docsPage(view: View): Promise<Page | Response> {
  const requested = view.url.pathname.replace(/^\/docs\/?/, "") || "index";
  const name = requested.replace(/\.md$/, "");
  const at = entries.findIndex((entry) => entry.name === name);
  const entry = entries[at];
  if (!entry) throw notFound(`No page at ${view.url.pathname}.`);
  const page = await docPage(view.ctx, entry);
  const markdown = stripAnchors(page.markdown);
  if (requested !== name) return new Response(markdown, { headers: markdownHeaders });
  const doc = renderDoc(page);
  return {
    title: page.title,
    description: page.description,
    navEntry: "more",
    islands: page.name === "api" ? ["copy.js", "doc-filter.js"] : ["copy.js"],
    body: <Doc page={page} doc={doc} before={entries[at - 1]} after={entries[at + 1]} />,
    markdown: { text: markdown, path: `/docs/${name}.md` },
  };
}

const markdownHeaders = {
  "content-type": "text/markdown; charset=utf-8",
  "cache-control": "public, max-age=3600",
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff",
};

interface DocProps {
  page: DocPage;
  doc: Rendered;
  before: DocEntry | undefined;
  after: DocEntry | undefined;
}

const Doc = ({ page, doc, before, after }: DocProps) => (
  <div class="docs">
    <article class="doc">
      <p class="to-contents soft">
        <a href="#contents">Documentation</a>
      </p>
      <div dangerouslySetInnerHTML={{ __html: doc.html }} />
      <nav class="around" aria-label="Previous and next page">
        {before && (
          <a rel="prev" href={before.path}>
            <span class="soft">Previous</span> {before.title}
          </a>
        )}
        {after && (
          <a rel="next" href={after.path}>
            <span class="soft">Next</span> {after.title}
          </a>
        )}
      </nav>
      <p class="soft">
        View <a href={`/docs/${page.name}.md`}>this page as Markdown</a>,{" "}
        <a href="/llms-full.txt">all pages in one file</a>, or <a href="/docs">the contents</a>.
      </p>
    </article>
    <Contents current={page} />
    <OnPage headings={doc.headings} />
  </div>
);

/** The table of contents: beside the page on wide screens, below it on narrow ones. */
const Contents = ({ current }: { current: DocEntry }) => (
  <nav class="contents" id="contents" aria-label="Documentation">
    {sidebar.map(({ title, entries }) => (
      <section key={title}>
        <h2>{title}</h2>
        <ul>
          {entries.map((entry) => (
            <li key={entry.name}>
              <a href={entry.path} aria-current={entry.name === current.name ? "page" : undefined}>
                {entry.title}
              </a>
            </li>
          ))}
        </ul>
      </section>
    ))}
  </nav>
);

/** Of longer pages, the sections alone are listed. */
const listedMax = 60;

function OnPage({ headings }: { headings: Heading[] }) {
  const sections = headings.filter(({ level }) => level === 2 || level === 3);
  const listed = sections.length > listedMax ? sections.filter(({ level }) => level === 2) : sections;
  return listed.length < 2 ? null : (
    <nav class="on-page" aria-label="On this page">
      <h2>On this page</h2>
      <ul>
        {listed.map(({ level, id, text }) => (
          <li key={id} class={`level-${level}`}>
            <a href={`#${id}`} dangerouslySetInnerHTML={{ __html: text }} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

const entryPattern = /^<h3 id="([^"]+)">([\s\S]*?) <a class="anchor"[\s\S]*?<\/h3>([\s\S]*)$/;
/** The summary of an operation begins its text; it is in the line. */
const leadPattern = /^\s*<p><strong>([\s\S]*?)\.<\/strong> ?/;

/**
 * The API reference, folded: each operation and schema is a line that opens. A link, or a browser's own
 * search, opens what it leads to, since the id is on the content. The field that filters them comes first.
 */
function foldSections(html: string): string {
  const [intro = "", ...sections] = html.split(/(?=<h2 )/);
  return [intro, filterField, ...sections.map(foldSection)].join("");
}

const filterField =
  '<p class="doc-filter" hidden><label>Filter by path, field, or word ' +
  '<input type="search" autocomplete="off" spellcheck="false"></label> <output class="soft"></output></p>';

function foldSection(section: string): string {
  const [head = "", ...entries] = section.split(/(?=<h3 )/);
  return `<section>${head}${entries.map(foldEntry).join("")}</section>`;
}

function foldEntry(entry: string): string {
  const [, id = "", name = "", content = ""] = entryPattern.exec(entry) ?? [];
  const lead = leadPattern.exec(content)?.[1];
  const text = lead === undefined ? content : content.replace(leadPattern, "<p>");
  return (
    `<details class="doc-entry"><summary><h3>${name}</h3>${lead === undefined ? "" : ` ${lead}`}</summary>` +
    `<div id="${id}">${text}</div></details>`
  );
}
