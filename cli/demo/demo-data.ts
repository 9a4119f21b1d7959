/** Fills an empty deployment with the demo data and its files. */
import { fillDemo } from "../../db/demo.ts";
import type { Context } from "../../src/api/context.ts";
import type { Store } from "../../src/files/stores/store.ts";
import { makeManifests } from "../../src/library/assets/bundles/maintenance.ts";

/** Files that are written concurrently; more wait for the same disk. */
const concurrentWrites = 8;
const assetsMax = 1_000;

/** Adds the month of demo data, with its files in the stores, and the manifests that uploads would make. */
export async function addDemoData(ctx: Context): Promise<void> {
  const { config, data, now, store, publicStore } = ctx;
  const files = await fillDemo(data, { now: now(), lanes: config.lanes });
  const published = (await data.assets(null, { status: "published", limit: assetsMax })).map(
    ({ key }) => key,
  );
  const writes: [Store | null, string, Blob][] = [
    ...[...files].map(([key, file]): [Store | null, string, Blob] => [store, key, file]),
    ...published.flatMap((key): [Store | null, string, Blob][] => {
      const file = key === null ? undefined : files.get(key);
      return key !== null && file ? [[publicStore, key, file]] : [];
    }),
  ];
  const put = async () => {
    for (let write = writes.pop(); write; write = writes.pop()) {
      const [to, key, file] = write;
      await to?.put(key, file.stream(), { type: file.type, maxBytes: file.size, size: file.size });
    }
  };
  await Promise.all(Array.from({ length: concurrentWrites }, put));
  await makeManifests(ctx, () => true);
}
