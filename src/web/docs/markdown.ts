/** Renders Markdown as HTML. Raw HTML is not supported: it is escaped and shown as text. */
import { anchorPattern } from "../../api/docs/page.ts";

export interface Heading {
  level: number;
  id: string;
  /** Plain text, HTML-escaped. */
  text: string;
}

export interface Rendered {
  html: string;
  headings: Heading[];
}

const tag = (name: string) => (inner: string) => `<${name}>${inner}</${name}>`;

/** Elements that look the same in our own Markdown and in that of uploads. */
const shared = {
  text: (text: string) => Bun.escapeHTML(text),
  blockquote: tag("blockquote"),
  hr: () => "<hr>",
  table: (inner: string) =>
    `<div class="doc-table" tabindex="0" role="group" aria-label="Table"><table>${inner}</table></div>`,
  thead: tag("thead"),
  tbody: tag("tbody"),
  tr: tag("tr"),
  strong: tag("strong"),
  emphasis: tag("em"),
  codespan: tag("code"),
  list: (inner: string, { ordered, start = 1 }: { ordered: boolean; start?: number | undefined }) =>
    ordered ? `<ol${start === 1 ? "" : ` start="${start}"`}>${inner}</ol>` : `<ul>${inner}</ul>`,
};

/** Our own pages. Headings have anchors, and are listed. */
export function renderMarkdown(markdown: string): Rendered {
  const headings: Heading[] = [];
  let afterCommand = false;
  const cell = (name: string) => (inner: string) => {
    const id = anchorPattern.exec(inner)?.[1];
    return `<${name}${id ? ` id="${id}"` : ""}>${inner.replace(anchorPattern, "")}</${name}>`;
  };
  const html = Bun.markdown.render(
    markdown,
    {
      ...shared,
      heading(inner, { level, id: slug = "" }) {
        afterCommand = false;
        const id = anchorPattern.exec(inner)?.[1] ?? slug;
        const text = inner.replace(anchorPattern, "");
        headings.push({ level, id, text: text.replace(/<[^>]+>/g, "") });
        // The page title needs no anchor link.
        if (level === 1) return `<h1>${text}</h1>`;
        return (
          `<h${level} id="${id}">${text} <a class="anchor" href="#${id}" aria-label="Link to ` +
          `this section">#</a></h${level}>`
        );
      },
      paragraph(inner) {
        afterCommand = false;
        return `<p>${inner}</p>`;
      },
      code(inner, { language = "" } = {}) {
        // A block right below a command is its output.
        const isOutput = afterCommand && ["json", "text"].includes(language);
        afterCommand = ["sh", "bash"].includes(language);
        return (
          `<div class="code${isOutput ? " output" : ""}"><pre ` +
          `tabindex="0"><code>${inner}</code></pre></div>`
        );
      },
      listItem: tag("li"),
      th: cell("th"),
      td: cell("td"),
      link: (inner, { href }) => `<a href="${Bun.escapeHTML(href)}">${inner}</a>`,
    },
    { headings: { ids: true } },
  );
  return { html, headings };
}

/** The front matter of a file, which names its fields for programs. */
const frontMatter = /^---\n.*?\n---\n/s;

/**
 * Markdown that was uploaded. Nothing of it is loaded from elsewhere: a picture is its description. Only
 * links to the web lead anywhere. Headings have no ids, which could be those of the page around them.
 */
export const renderUploadedMarkdown = (markdown: string): string =>
  Bun.markdown.render(markdown.replace(frontMatter, ""), {
    ...shared,
    heading: (inner, { level }) => `<h${Math.min(6, level + 1)}>${inner}</h${Math.min(6, level + 1)}>`,
    paragraph: tag("p"),
    code: (inner) => `<pre tabindex="0"><code>${inner}</code></pre>`,
    listItem: (inner, { checked }) =>
      `<li>${checked === undefined ? "" : checked ? "☑ " : "☐ "}${inner}</li>`,
    th: tag("th"),
    td: tag("td"),
    strikethrough: tag("del"),
    html: tag("p"), // its text is escaped by `text`
    link: (inner, { href }) =>
      /^(?:https?:\/\/|mailto:)/i.test(href)
        ? `<a href="${Bun.escapeHTML(href)}" rel="nofollow noopener noreferrer">${inner}</a>`
        : inner,
    image: (inner) => `<span class="soft">[picture: ${inner || "without a description"}]</span>`,
  });
