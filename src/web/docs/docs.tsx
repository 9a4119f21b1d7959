/** @jsxImportSource preact */
/** The documentation pages: contents, one page, links to the previous and next. `.md` serves the Markdown. */
import { type DocEntry, entries, sidebar } from "../../api/docs/contents.ts";
import { type DocPage, docPage, stripAnchors } from "../../api/docs/page.ts";
import { perObject } from "../../core/lib/cache.ts";
import { notFound } from "../../core/problem.ts";
import type { Page, View } from "../view.ts";
import { foldSections } from "./folded.ts";
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
