/** Stores by their configuration. Each adapter is loaded where it is used. `demo`: the objects of the demo. */
import type { Config, Place } from "../src/config.ts";
import type { Store } from "../src/stores/store.ts";

export async function openStore(place: Place, s3: Config["s3"], demo: ReadonlyMap<string, Blob>): Promise<Store | null> {
  if (place === "none") return null;
  if (place === "demo") return (await import("../src/stores/memory.ts")).memoryStore(demo);
  if ("folder" in place) return (await import("../src/stores/local.ts")).localStore({ root: place.folder });
  return (await import("../src/stores/s3.ts")).s3Store({ ...s3, ...place });
}
