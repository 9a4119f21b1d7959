/** What was said of the version that an asset replaced. */
import { toMicros } from "../../core/lib/time.ts";
import type { Asset } from "../assets/schema.ts";
import type { LibraryContext } from "../context.ts";
import { verdictsOfReplaced } from "./approvals.ts";
import type { Decision } from "./schema.ts";

export interface EarlierVersion {
  id: string;
  version: number;
  /** Null: it was replaced before anyone reviewed it. */
  verdict: Decision | null;
  reviewed_by: string | null;
}

/** By the ids of those assets that replaced a version. */
export async function loadEarlierVersions(
  { data }: Pick<LibraryContext, "data">,
  assets: readonly Pick<Asset, "id" | "parent_id">[],
): Promise<ReadonlyMap<string, EarlierVersion>> {
  const replaced = assets.flatMap(({ parent_id }) => parent_id ?? []);
  if (replaced.length === 0) return new Map();
  const found = (await data.assetsById(replaced)).map(({ wire }) => JSON.parse(wire) as Asset);
  const verdicts = await loadReplacedVerdicts({ data }, found);
  const byId = new Map(found.map((version) => [version.id, version]));
  return new Map(
    assets.flatMap(({ id, parent_id }) => {
      const earlier = byId.get(parent_id ?? "");
      if (!earlier) return [];
      const { version, reviewed_by } = earlier;
      return [[id, { id: earlier.id, version, verdict: verdicts.get(earlier.id) ?? null, reviewed_by }]];
    }),
  );
}

/** The verdicts that those assets had which were replaced after a review, by their ids. */
export async function loadReplacedVerdicts(
  { data }: Pick<LibraryContext, "data">,
  assets: readonly Asset[],
): Promise<ReadonlyMap<string, Decision>> {
  const replaced = assets.filter(({ status }) => status === "superseded");
  const verdicts = new Map<string, Decision>();
  for (const [project, versions] of Map.groupBy(replaced, (version) => version.project ?? "")) {
    const reviews = versions.map(({ id, set = null, status, reviewed_at }) => ({
      id,
      set,
      status,
      reviewed_at: reviewed_at === null ? null : toMicros(reviewed_at),
    }));
    for (const [id, verdict] of await verdictsOfReplaced(data, project, reviews)) verdicts.set(id, verdict);
  }
  return verdicts;
}
