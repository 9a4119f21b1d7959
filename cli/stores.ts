/**
 * Stores by their configuration. Each adapter is loaded where it is used. `demo`: the objects of the demo.
 */
import type { Config, StoreLocation } from "../src/config.ts";
import type { Data } from "../src/data.ts";
import type { Metrics } from "../src/metrics.ts";
import { ownedStore } from "../src/stores/owned-store.ts";
import type { OwnedStore, Store } from "../src/stores/store.ts";
import { measuredStore } from "../src/stores/store-metrics.ts";

interface Needs {
  config: Pick<Config, "assetStore" | "publicStore" | "s3">;
  data: Pick<Data, "deployment">;
  metrics: Metrics;
  demo: ReadonlyMap<string, Blob>;
}

/** Both stores of a deployment: measured, and safe from deletions where they are not its own. */
export async function openStores({
  config,
  data,
  metrics,
  demo,
}: Needs): Promise<Record<"store" | "publicStore", OwnedStore | null>> {
  const opened = async (place: StoreLocation, name: "private" | "public") => {
    if (place === "none") return null;
    if (place === "demo")
      return measuredStore((await import("../src/stores/memory.ts")).memoryStore(demo), name, metrics);
    return measuredStore(ownedStore(await openStore(place, config.s3), data.deployment), name, metrics);
  };
  return {
    store: await opened(config.assetStore, "private"),
    publicStore: await opened(config.publicStore, "public"),
  };
}

async function openStore(place: Exclude<StoreLocation, string>, s3: Config["s3"]): Promise<Store> {
  if ("folder" in place) return (await import("../src/stores/local.ts")).localStore({ root: place.folder });
  return (await import("../src/stores/s3.ts")).s3Store({ ...s3, ...place });
}
