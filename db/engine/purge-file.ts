/**
 * Removes what an SQLite file still holds of deleted rows: their terms in the segments of full-text indexes,
 * free pages, and the unused space of others. In a thread, as it can take minutes.
 */
import { memoryKinds } from "../../src/memory/schema.ts";
import { indexName } from "../memory/recall/term-index.ts";

/** Runs from its text, so that it needs no file beside the program. */
const program = `
import { Database } from "bun:sqlite";
import { parentPort } from "node:worker_threads";
parentPort.on("message", ({ path, indexes }) => {
  try {
    const database = new Database(path, { readwrite: true });
    database.exec("pragma busy_timeout = 30000");
    for (const index of indexes) database.exec(\`insert into \${index} (\${index}) values ('optimize')\`);
    database.exec("vacuum");
    const { busy } = database.query("pragma wal_checkpoint(truncate)").get();
    database.close();
    parentPort.postMessage({ isPurged: busy === 0 });
  } catch ({ message }) {
    parentPort.postMessage({ failed: message });
  }
});`;

/** @returns false while a reader still needs the WAL: try again */
export async function purgeFile(path: string): Promise<boolean> {
  const worker = new Worker(URL.createObjectURL(new File([program], "purge.js")));
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  worker.addEventListener("message", ({ data }) => {
    const { isPurged, failed } = data as { isPurged: boolean; failed?: string };
    if (failed === undefined) resolve(isPurged);
    else reject(new Error(failed));
  });
  worker.addEventListener("error", ({ message }) => reject(new Error(message)));
  worker.postMessage({ path, indexes: memoryKinds.map(indexName) });
  return promise.finally(() => worker.terminate());
}
