/**
 * Results from assets, which are searched in memory. What they are found by never changes, so a search reads
 * the ids of its list, the assets that are new to this process, and the status of those that it shows.
 */
import { Cache, perObject } from "../../core/lib/cache.ts";
import type { Projects } from "../../core/rows.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import type { RenderedAsset, SearchedAsset } from "../../library/rows.ts";
import { groupBySet, type SetOfVariants } from "../../library/variant-sets/group.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { OverviewContext } from "../context.ts";
import type { SearchDocument } from "./document-index.ts";
import { type DocumentHit, searchDocuments } from "./documents.ts";
import { documentBytes, listIndexer } from "./list-index.ts";
import type { Found } from "./result.ts";

/** The newest assets, pending ones first: a fixed number, so a search costs the same in a large library. */
const listedMax = 1_000;

type Data = OverviewContext["data"];
type AssetDocument = SearchDocument & { id: string; project: string; set: string | null };
type AssetHit = DocumentHit<AssetDocument>;

/** By database: each has assets of its own. */
const searchedIn = perObject((_: Data) => ({
  documents: new Cache<string, AssetDocument>({
    max: 2 * listedMax,
    bytesMax: 64 * 2 ** 20,
    bytesOf: documentBytes,
  }),
  index: listIndexer<AssetDocument>(2 * listedMax),
}));

/** Assets that match, among the newest 1,000. */
export async function findAssets(
  { data }: Pick<OverviewContext, "data">,
  projects: Projects,
  query: string,
  limit: number,
): Promise<Found[]> {
  const listed = await listDocuments(data, projects);
  const hits = await searchDocuments(searchedIn(data).index(listed), query, listed.length);
  return withStatus(data, withSets(hits, listed).slice(0, limit));
}

/** Of the newest assets, without superseded versions: each is shown with the newest one. */
async function listDocuments(data: Data, projects: Projects): Promise<AssetDocument[]> {
  const limit = Math.ceil(listedMax / Math.max(1, projects?.length ?? 1));
  // By project, as each has an index: one list of several projects would be filtered from that of all.
  const lists = projects === null ? [{ limit }] : projects.map((project) => ({ project, limit }));
  const ids = (await Promise.all(lists.map((list) => data.newestAssetIds(list)))).flat();
  const { documents } = searchedIn(data);
  const known = new Map(ids.map((id) => [id, documents.get(id)]));
  const unknown = ids.filter((id) => known.get(id) === undefined);
  for (const row of await data.searchedAssets(unknown)) {
    const document = assetDocument(row);
    documents.set(row.id, document);
    known.set(row.id, document);
  }
  return [...known.values()].filter((document) => document !== undefined);
}

/** What a result says of an asset that can change is read when it is shown. */
async function withStatus(data: Data, results: Found[]): Promise<Found[]> {
  const ids = results.filter(({ type }) => type === "asset").map(({ id }) => id);
  const rows = new Map((await data.assetsById(ids)).map((row) => [row.id, row]));
  return results.map((result) => {
    const row = rows.get(result.id);
    if (result.type !== "asset" || !row) return result;
    const { version, description } = fieldsOf(row);
    const facts = `Version ${version}, ${row.status}`;
    return { ...result, at: row.created_at, text: description ? `${facts}: ${description}` : facts };
  });
}

/** The variants of a set that match are one result, in the place of the best. */
function withSets(hits: readonly AssetHit[], listed: readonly AssetDocument[]): Found[] {
  const { sets } = groupBySet(hits.map(({ document }) => document));
  const variantsOf = ({ project, set }: SetOfVariants<AssetDocument>) =>
    listed.filter((one) => one.set === set && one.project === project).length;
  const setOf = new Map(sets.flatMap((found) => found.variants.map((variant) => [variant, found] as const)));
  return hits.flatMap(({ document, matched, relevance }): Found[] => {
    const { id, head: title } = document;
    const found = setOf.get(document);
    if (!found)
      return [
        { type: "asset", id, project: document.project, title, path: `/assets/${id}`, matched, relevance },
      ];
    const { project, set, variants } = found;
    if (document !== variants[0]) return [];
    const text = `${variantsText(variantsOf(found))}, such as ${title}`;
    return [
      { type: "set", id: set, project, title: set, path: setPath(project, set), text, matched, relevance },
    ];
  });
}

type Fields = Pick<Asset, "version" | "description">;
const fieldsOf = ({ wire }: RenderedAsset): Fields => JSON.parse(wire);

function assetDocument(asset: SearchedAsset): AssetDocument {
  const { id, project, title, description, tags, set, key } = asset;
  const filename = key?.split("/").at(-1) ?? "";
  return {
    id,
    project,
    set,
    head: title,
    text: description ?? "",
    about: [tags, filename, project, set].filter(Boolean).join(" "),
  };
}
