/**
 * The API reference, folded: each operation and schema is a line that opens. A link, or a browser's own
 * search, opens what it leads to, since the id is on the content.
 */

const entryPattern = /^<h3 id="([^"]+)">([\s\S]*?) <a class="anchor"[\s\S]*?<\/h3>([\s\S]*)$/;
/** The summary of an operation begins its text; it is in the line. */
const leadPattern = /^\s*<p><strong>([\s\S]*?)\.<\/strong> ?/;

/** Folds the entries of each section, and puts the field that filters them before them. */
export function foldSections(html: string): string {
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
