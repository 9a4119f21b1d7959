/**
 * Opens the configured stores. Each adapter is loaded only if it is used.
 */

import type { Data } from "../src/api/port.ts";
import type { Config, StoreLocation } from "../src/core/config.ts";
import type { Metrics } from "../src/core/metrics.ts";
import { ownedStore } from "../src/files/stores/owned-store.ts";
import type { OwnedStore, Store } from "../src/files/stores/store.ts";
import { storeWithMetrics } from "../src/files/stores/store-metrics.ts";

interface StoreOptions {
  config: Pick<Config, "assetStore" | "publicStore" | "s3">;
  data: Pick<Data, "deployment">;
  metrics: Metrics;
  /** The objects of the demo store. */
  demo: ReadonlyMap<string, Blob>;
}

/** Opens both stores of a deployment, with metrics and the check of their owner before deletions. */
export async function openStores({
  config,
  data,
  metrics,
  demo,
}: StoreOptions): Promise<Record<"store" | "publicStore", OwnedStore | null>> {
  const openOne = async (place: StoreLocation, name: "private" | "public") => {
    if (place === "none") return null;
    if (place === "demo")
      return storeWithMetrics(
        (await import("../src/files/stores/embedded.ts")).embeddedStore(demo),
        name,
        metrics,
      );
    return storeWithMetrics(ownedStore(await openStore(place, config.s3), data.deployment), name, metrics);
  };
  return {
    store: await openOne(config.assetStore, "private"),
    publicStore: await openOne(config.publicStore, "public"),
  };
}

async function openStore(place: Exclude<StoreLocation, string>, s3: Config["s3"]): Promise<Store> {
  if ("folder" in place)
    return (await import("../src/files/stores/disk/store.ts")).localStore({ root: place.folder });
  return (await import("../src/files/stores/s3/store.ts")).s3Store({ ...s3, ...place });
}
