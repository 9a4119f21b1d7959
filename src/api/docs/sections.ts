/** The documentation in sections of plain text, for search. */
import { perObject } from "../../core/lib/cache.ts";
import type { DocSection } from "../../overview/rows.ts";
import { anchorPattern, type DocPage, type DocsSite, docPages } from "./page.ts";

/** The sections of all pages, in order. */
export const renderSections = async (site: DocsSite): Promise<readonly DocSection[]> =>
  sectionsOf(await docPages(site));

const sectionsOf = perObject((pages: DocPage[]): DocSection[] => pages.flatMap(splitPage));

/** Sections begin at headings of these levels; deeper ones belong to the section above. */
const splitLevelMax = 3;
/** Private-use characters, which no page contains: one begins each section, the other ends its heading. */
const [begin, middle] = ["\ue000", "\ue001"];

function splitPage({ path, title, markdown }: DocPage): DocSection[] {
  const line = (inner: string) => `${inner}\n`;
  const cell = (inner: string) => `${inner} `;
  const text = Bun.markdown.render(
    markdown,
    {
      heading(inner, { level, id: slug = "" }) {
        const id = level === 1 ? "" : (anchorPattern.exec(inner)?.[1] ?? slug);
        const heading = inner.replace(anchorPattern, "");
        return level <= splitLevelMax ? `${begin}${id}${middle}${heading}${middle}` : `${heading}\n`;
      },
      // The values in examples of JSON are about no subject of the documentation.
      code: (inner, { language } = {}) => (language === "json" ? "" : line(inner)),
      paragraph: line,
      listItem: line,
      tr: line,
      th: cell,
      td: cell,
    },
    { headings: { ids: true } },
  );
  return text
    .split(begin)
    .slice(1)
    .map((section) => {
      const [id = "", heading = "", body = ""] = section.split(middle);
      return {
        path: id === "" ? path : `${path}#${id}`,
        page: title,
        heading,
        text: body.replace(/ ?\{#[\w-]+\}/g, "").trim(),
      };
    });
}
