/** The headings and words of an HTML page, read by the parser that browsers' streams use too. */
import type { PageLine } from "./picture.tsx";

const linesMax = 24;

/** Nothing of it is run or loaded. A page that only scripts fill has its title alone. */
export async function pageWords(html: string): Promise<PageLine[]> {
  const lines: PageLine[] = [];
  let open: PageLine | null = null;
  let hidden = 0;
  const begin = (isHeading: boolean) => {
    open = { text: "", isHeading };
    lines.push(open);
  };
  const rewriter = new HTMLRewriter()
    .on("script, style, noscript, template, svg, select", {
      element(element) {
        hidden++;
        element.onEndTag(() => void hidden--);
      },
    })
    .on("title, h1, h2, h3", { element: () => begin(true) })
    .on("p, li, td, th, button, label, dt, dd, figcaption, pre, blockquote", { element: () => begin(false) })
    .on("span, div, small, br", {
      element() {
        if (open) open.text += " ";
      },
    })
    .on("title, h1, h2, h3, p, li, td, th, button, label, dt, dd, figcaption, pre, blockquote", {
      text({ text }) {
        if (open && hidden === 0 && open.text.length < 400) open.text += text;
      },
    });
  await rewriter.transform(new Response(html)).text();
  const found = lines
    .map(({ text, isHeading }) => ({ text: decode(text).replace(/\s+/g, " ").trim(), isHeading }))
    .filter(({ text }) => text !== "");
  // The title is often the first heading.
  const [title, ...others] = found;
  return (title ? [title, ...others.filter(({ text }) => text !== title.text)] : []).slice(0, linesMax);
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", apos: "'" };

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w{2,6}));/gi, (entity, decimal, hex, name) =>
    name
      ? (entities[name] ?? entity)
      : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );
