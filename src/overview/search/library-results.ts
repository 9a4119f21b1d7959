/** Results from projects and the documentation: lists that are searched in memory. */

import { paths } from "../../core/info.ts";
import { Cache, perObject } from "../../core/lib/cache.ts";
import type { Projects } from "../../core/rows.ts";
import type { OverviewContext } from "../context.ts";
import type { DocSection, DocSections } from "../rows.ts";
import type { SearchDocument } from "./document-index.ts";
import { searchDocuments } from "./documents.ts";
import { documentBytes, listIndexer } from "./list-index.ts";
import type { Found } from "./result.ts";
import { readTextIndex } from "./text-index.ts";

/** Projects that are searched: those with the latest activity, so a search costs the same with more of them. */
const listedMax = 1_000;

type ProjectDocument = SearchDocument & { found: Found };

/** By what a document was made from, so that an unchanged one is analyzed once. */
const documents = new Cache<string, ProjectDocument>({
  max: 2 * listedMax,
  bytesMax: 16 * 2 ** 20,
  bytesOf: documentBytes,
});
const indexProjects = listIndexer<ProjectDocument>(2 * listedMax);

/** Projects whose slug, repository, or summary match. */
export async function findProjects(
  { data }: Pick<OverviewContext, "data">,
  projects: Projects,
  query: string,
  limit: number,
): Promise<Found[]> {
  const rows = await data.projects(projects, { limit: listedMax });
  const listed = rows.map(({ slug, repo, stack, summary }) =>
    documents.getOrMake(JSON.stringify([slug, repo, stack, summary]), () => ({
      head: slug,
      about: repo,
      text: [summary, stack].filter(Boolean).join(" "),
      found: {
        type: "project",
        id: slug,
        project: slug,
        title: slug,
        path: `/projects/${slug}`,
        text: [repo, summary].filter(Boolean).join(": "),
      },
    })),
  );
  const hits = await searchDocuments(indexProjects(listed), query, limit);
  return hits.map(({ document, matched, relevance }) => ({ ...document.found, matched, relevance }));
}

/** A page that says how to do it comes before the operation of the API reference that does. */
const referenceWeight = 0.5;

interface SectionDocument {
  head: string;
  weight: number;
  section: DocSection;
}

const sectionDocument = (section: DocSection): SectionDocument => ({
  head: section.heading,
  weight: section.path.startsWith(`${paths.docs}#`) ? referenceWeight : 1,
  section,
});

/** Once for each deployment: the sections stay the same. */
const sectionIndex = perObject(({ list, index }: DocSections) =>
  index
    ? readTextIndex(list.map(sectionDocument), index)
    : listIndexer<SectionDocument & SearchDocument>(list.length)(
        list.map((section) => ({ ...sectionDocument(section), about: section.page, text: section.text })),
      ),
);

/** People search for their work first: a long section has the words of many queries. */
const sectionWeight = 0.8;

/** Sections of the documentation that match. */
export async function findSections(ctx: OverviewContext, query: string, limit: number): Promise<Found[]> {
  const index = sectionIndex(await ctx.docSections(ctx));
  const hits = await searchDocuments<SectionDocument>(index, query, limit);
  return hits.map(({ document: { section }, matched, relevance }) => {
    const { path, page, heading, text } = section;
    const title = heading === page ? page : `${page} › ${heading}`;
    const found = { type: "section", id: path, project: null, title, text, path } as const;
    return { ...found, matched, relevance: sectionWeight * relevance };
  });
}
