/** Results from projects, assets, and the documentation: lists that are searched in memory. */
import type { Context } from "../context.ts";
import { Cache, perObject } from "../lib/cache.ts";
import { toMicros } from "../lib/time.ts";
import type { Projects, RenderedAsset } from "../rows.ts";
import { type SearchDocument, searchDocuments } from "./documents.ts";
import type { DocSection } from "./port.ts";
import type { Found } from "./result.ts";

/**
 * Projects and assets that are searched: those with the latest activity, and the newest assets, pending ones
 * first. A fixed number, so that a search costs the same in a large library: reading and scoring 1,000 assets
 * takes 6 to 65 ms.
 */
export const listedMax = 1_000;

type FoundDocument = SearchDocument & { found: Found };

/** By what a document was made from, so that an unchanged one is analyzed once. */
const documents = new Cache<string, FoundDocument>({ max: 4 * listedMax });

/** Projects whose slug, repository, or summary match. */
export async function findProjects(
  { data }: Pick<Context, "data">,
  projects: Projects,
  query: string,
  limit: number,
): Promise<Found[]> {
  const rows = await data.projects(projects, { limit: listedMax });
  const listed = rows.map(({ slug, repo, stack, summary }) =>
    documents.getOrMake(JSON.stringify([slug, repo, stack, summary]), () => ({
      ...{ head: slug, about: repo, text: [summary, stack].filter(Boolean).join(" ") },
      found: {
        ...{ type: "project", id: slug, project: slug, title: slug, path: `/projects/${slug}` },
        text: [repo, summary].filter(Boolean).join(": "),
      },
    })),
  );
  return foundOf(await searchDocuments(listed, query, limit));
}

/** Assets that match, among the newest 1,000. */
export async function findAssets(
  { data }: Pick<Context, "data">,
  projects: Projects,
  query: string,
  limit: number,
): Promise<Found[]> {
  const read = (project?: string) =>
    data.assets(projects, { limit: listedMax, ...(project !== undefined && { project }) });
  // By project, as each has an index: one list of several projects would be filtered from that of all.
  const lists = await Promise.all(projects === null ? [read()] : projects.map(read));
  // A superseded version is shown with the newest one.
  const rows = lists.flat().filter(({ status }) => status !== "superseded");
  const listed = rows.map((row) => documents.getOrMake(row.wire, () => assetDocument(row)));
  return foundOf(await searchDocuments(listed, query, limit));
}

function assetDocument({ id, key, wire }: RenderedAsset): FoundDocument {
  const { title, description, tags, project, status, version, created_at } = JSON.parse(wire) as {
    [field in "title" | "project" | "status" | "created_at"]: string;
  } & { description: string | null; tags: string[]; version: number };
  const filename = key?.split("/").at(-1) ?? "";
  const facts = `Version ${version}, ${status}`;
  return {
    ...{ head: title, about: [...tags, filename, project].join(" "), text: description ?? "" },
    found: {
      ...{ type: "asset", id, project, title, path: `/assets/${id}`, at: toMicros(created_at) },
      text: description ? `${facts}: ${description}` : facts,
    },
  };
}

/** The same list as long as the sections are, so that its words are collected once. */
const sectionDocuments = perObject((sections: readonly DocSection[]) => sections.map(sectionDocument));

function sectionDocument({ path, page, heading, text }: DocSection): FoundDocument {
  const title = heading === page ? page : `${page} › ${heading}`;
  return {
    ...{ head: heading, about: page, text },
    found: { type: "section", id: path, project: null, title, text, path },
  };
}

/** Sections of the documentation that match. */
export async function findSections(ctx: Context, query: string, limit: number): Promise<Found[]> {
  return foundOf(await searchDocuments(sectionDocuments(await ctx.docSections(ctx)), query, limit));
}

const foundOf = (hits: { document: FoundDocument; matched: string[] }[]): Found[] =>
  hits.map(({ document, matched }) => ({ ...document.found, matched }));
