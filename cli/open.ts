/** The composition root: from the environment and the flags to what an operation is given. The only caller of db/. */
import { fileURLToPath } from "node:url";
import { openData } from "../db/open.ts";
import { mediaPath } from "../src/assets/publish.ts";
import { recorded } from "../src/audit/act.ts";
import { openAudit } from "../src/audit/audit.ts";
import { signingSecret } from "../src/auth/secret.ts";
import { type Environment, readConfig } from "../src/config.ts";
import type { Context, Log } from "../src/context.ts";
import { deprecations } from "../src/deprecation.ts";
import { follow } from "../src/feed/follower.ts";
import { openMetrics } from "../src/metrics.ts";
import { openProbe } from "../src/probe/probe.ts";
import { measuredStore } from "../src/stores/measured.ts";
import { jsonLog } from "./log.ts";
import { openStore } from "./stores.ts";

/** The same for a command that writes by itself: the audit says which, and who called it. */
export const openAs = async (user: string, what: string, target: string | null, flags: Environment): Promise<Opened> =>
  recorded(await open(flags), { who: user, via: "cli", what, project: null, target, address: null, request: null });

export interface Opened extends Context {
  close(): Promise<void>;
}

/** This program again, as the child that parses what was uploaded. */
const probeCommand = Bun.isStandaloneExecutable
  ? [process.execPath, "probe"]
  : [process.execPath, fileURLToPath(new URL("./probe.ts", import.meta.url))];

/** Flags win over the variable of the same meaning; a flag that was not given is undefined. */
export async function open(flags: Environment = {}, log: Log = jsonLog): Promise<Opened> {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const config = readConfig({ ...process.env, ...Object.fromEntries(given) });
  const now = () => Date.now() * 1000;
  const metrics = openMetrics();
  const data = await openData(config.databaseUrl, { now, log, metrics });
  const follower = follow(data);
  const audit = openAudit({ data, now, log });
  const fill = async () => {
    const { fillDemo } = await import("../db/demo.ts");
    return fillDemo(data, { now: now(), lanes: config.lanes, mediaUrl: config.contentUrl + mediaPath });
  };
  const demo = config.mock ? await fill() : new Map<string, Blob>();
  const secret = config.signingSecret || (await signingSecret(data));
  return {
    ...{ config, data, follower, audit, secret, deprecations, now, log, metrics },
    store: measuredStore(await openStore(config.assetStore, config.s3, demo), "private", metrics),
    publicStore: measuredStore(await openStore(config.publicStore, config.s3, demo), "public", metrics),
    probe: openProbe({ command: probeCommand, log }),
    commandLine: async () => (await import("./reference.ts")).commandReference(),
    async close() {
      follower.close();
      await audit.close();
      await data.close();
    },
  };
}
