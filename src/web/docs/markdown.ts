/** Renders our own Markdown as HTML. Raw HTML is not supported: it is escaped and shown as text. */
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

export function renderMarkdown(markdown: string): Rendered {
  const headings: Heading[] = [];
  let afterCommand = false;
  const tag = (name: string) => (inner: string) => `<${name}>${inner}</${name}>`;
  const cell = (name: string) => (inner: string) => {
    const id = anchorPattern.exec(inner)?.[1];
    return `<${name}${id ? ` id="${id}"` : ""}>${inner.replace(anchorPattern, "")}</${name}>`;
  };
  const html = Bun.markdown.render(
    markdown,
    {
      text: (text) => Bun.escapeHTML(text),
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
      blockquote: tag("blockquote"),
      code(inner, { language = "" } = {}) {
        // A block right below a command is its output.
        const isOutput = afterCommand && ["json", "text"].includes(language);
        afterCommand = ["sh", "bash"].includes(language);
        return (
          `<div class="code${isOutput ? " output" : ""}"><pre ` +
          `tabindex="0"><code>${inner}</code></pre></div>`
        );
      },
      list: (inner, { ordered, start = 1 }) =>
        ordered ? `<ol${start === 1 ? "" : ` start="${start}"`}>${inner}</ol>` : `<ul>${inner}</ul>`,
      listItem: tag("li"),
      hr: () => "<hr>",
      table: (inner) =>
        `<div class="doc-table" tabindex="0" role="group" aria-label="Table"><table>${inner}</table></div>`,
      thead: tag("thead"),
      tbody: tag("tbody"),
      tr: tag("tr"),
      th: cell("th"),
      td: cell("td"),
      strong: tag("strong"),
      emphasis: tag("em"),
      codespan: tag("code"),
      link: (inner, { href }) => `<a href="${Bun.escapeHTML(href)}">${inner}</a>`,
    },
    { headings: { ids: true } },
  );
  return { html, headings };
}
