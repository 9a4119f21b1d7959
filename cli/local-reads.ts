/** Reads of the SQLite file on this machine, without the API and the website in this process. */
import { withLocalReads } from "../db/local-reads.ts";
import type { LocalReads } from "../db/present-reads.ts";
import { type Config, readConfig } from "../src/core/config.ts";
import { databaseFile } from "./login/target.ts";

export interface LocalContext {
  data: LocalReads;
  config: Config;
  /** In microseconds. */
  now(): number;
}

/**
 * @returns null if the whole service has to answer: from Postgres, from a file that is not ready to be read,
 * or with an error
 */
export async function localAnswer<T>(
  dataDir: string | undefined,
  work: (ctx: LocalContext) => Promise<T | null>,
): Promise<T | null> {
  try {
    const config = readConfig({ ...process.env, ...(dataDir !== undefined && { SVC_DATA_DIR: dataDir }) });
    const path = databaseFile(config.databaseUrl);
    if (path === null) return null;
    return await withLocalReads(path, (data) => work({ data, config, now: () => Date.now() * 1000 }));
  } catch {
    return null;
  }
}
