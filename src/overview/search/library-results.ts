/** Results from projects, assets, and the documentation: lists that are searched in memory. */

import { paths } from "../../core/info.ts";
import { Cache, perObject, textBytes } from "../../core/lib/cache.ts";
import { toMicros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import type { RenderedAsset } from "../../library/rows.ts";
import { groupBySet, type SetOfVariants } from "../../library/variant-sets/group.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { OverviewContext } from "../context.ts";
import type { DocSection, DocSections } from "../rows.ts";
import { listIndexer, readTextIndex, type SearchDocument } from "./document-index.ts";
import { type DocumentHit, searchDocuments } from "./documents.ts";
import type { Found } from "./result.ts";

/**
 * Projects and assets that are searched: those with the latest activity, and the newest assets, pending ones
 * first. A fixed number, so that a search costs the same in a large library: reading and scoring 1,000 assets
 * takes 6 to 65 ms.
 */
export const listedMax = 1_000;

type FoundDocument = SearchDocument & { found: Found };
type AssetDocument = FoundDocument & { project: string; set: string | null };
type AssetHit = DocumentHit<AssetDocument>;

/** Of an analyzed text the terms take about as much again as the text in its key and in the document. */
const analyzedDocuments = {
  max: 2 * listedMax,
  bytesMax: 64 * 2 ** 20,
  bytesOf: ({ head, about, text }: FoundDocument) => 2 * textBytes(`${head}${about}${text}`),
};

/** By what a document was made from, so that an unchanged one is analyzed once. */
const documents = new Cache<string, FoundDocument>(analyzedDocuments);
const assetDocuments = new Cache<string, AssetDocument>(analyzedDocuments);
const indexProjects = listIndexer<FoundDocument>(2 * listedMax);
const indexAssets = listIndexer<AssetDocument>(2 * listedMax);

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
  return foundOf(await searchDocuments(indexProjects(listed), query, limit));
}

/** Assets that match, among the newest 1,000. */
export async function findAssets(
  { data }: Pick<OverviewContext, "data">,
  projects: Projects,
  query: string,
  limit: number,
): Promise<Found[]> {
  const max = Math.ceil(listedMax / Math.max(1, projects?.length ?? 1));
  const read = (project?: string) =>
    data.assets(projects, { limit: max, ...(project !== undefined && { project }) });
  // By project, as each has an index: one list of several projects would be filtered from that of all.
  const lists = await Promise.all(projects === null ? [read()] : projects.map(read));
  // A superseded version is shown with the newest one.
  const rows = lists.flat().filter(({ status }) => status !== "superseded");
  const listed = rows.map((row) => assetDocuments.getOrMake(row.wire, () => assetDocument(row)));
  const hits = await searchDocuments(indexAssets(listed), query, listed.length);
  return withSets(hits, listed).slice(0, limit);
}

/** The variants of a set that match are one result, in the place of the best. */
function withSets(hits: readonly AssetHit[], listed: readonly AssetDocument[]): Found[] {
  const { sets } = groupBySet(hits.map(({ document }) => document));
  const variantsOf = ({ project, set }: SetOfVariants<AssetDocument>) =>
    listed.filter((one) => one.set === set && one.project === project).length;
  const setOf = new Map(sets.flatMap((found) => found.variants.map((variant) => [variant, found] as const)));
  return hits.flatMap(({ document, matched, relevance }): Found[] => {
    const found = setOf.get(document);
    if (!found) return [{ ...document.found, matched, relevance }];
    const { project, set, variants } = found;
    if (document !== variants[0]) return [];
    const text = `${variantsText(variantsOf(found))}, such as ${document.found.title}`;
    const result = { type: "set", id: set, project, title: set, path: setPath(project, set), text } as const;
    return [{ ...result, matched, relevance }];
  });
}

function assetDocument({ id, key, wire }: RenderedAsset): AssetDocument {
  const {
    title,
    description,
    tags,
    project,
    status,
    version,
    created_at,
    set = null,
  } = JSON.parse(wire) as {
    [field in "title" | "project" | "status" | "created_at"]: string;
  } & { description: string | null; tags: string[]; version: number; set?: string | null };
  const filename = key?.split("/").at(-1) ?? "";
  const facts = `Version ${version}, ${status}`;
  return {
    project,
    set,
    head: title,
    text: description ?? "",
    about: [...tags, filename, project, set].filter(Boolean).join(" "),
    found: {
      type: "asset",
      id,
      project,
      title,
      path: `/assets/${id}`,
      at: toMicros(created_at),
      text: description ? `${facts}: ${description}` : facts,
    },
  };
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

const foundOf = (hits: DocumentHit<FoundDocument>[]): Found[] =>
  hits.map(({ document, matched, relevance }) => ({ ...document.found, matched, relevance }));
