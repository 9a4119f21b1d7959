/** `svc serve`: migrate, listen, say where, drain on SIGTERM. */
import { defineCommand } from "citty";
import { buildApp } from "../src/app.ts";
import { atPort } from "../src/config.ts";
import { idleSeconds } from "../src/http/unhurried.ts";
import { dataDirFlag, run } from "./command.ts";
import { open } from "./open.ts";
import { startWorkers } from "./workers.ts";

const drainMs = 10_000;

export default defineCommand({
  args: {
    host: { type: "string", description: "Address to listen on (SVC_HOST)" },
    port: { type: "string", description: "Port, 0 for a free one (SVC_PORT)" },
    ...dataDirFlag,
    mock: { type: "boolean", description: "Serve demo data from memory, read-only" },
  },
  run: run(async ({ args }) => {
    const ctx = await open({
      SVC_HOST: args.host,
      SVC_PORT: args.port,
      SVC_DATA_DIR: args["data-dir"],
      SVC_DATA_MODE: args.mock ? "mock" : undefined,
    });
    const { config, log } = ctx;
    const server = Bun.serve({
      hostname: config.host,
      port: config.port,
      // Bun's own refusals are bare; ours are problem documents, so ours come first.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: idleSeconds,
      development: false,
      fetch: (request, server) => handle(request, server),
    });
    // A port that was picked just now has to be in every link.
    const served = { ...ctx, config: atPort(config, server.port ?? config.port) };
    const handle = buildApp(served);
    const stopWorkers = startWorkers(served);
    if (config.mock) await (await import("../db/demo.ts")).moveDemo(ctx.data, config.contentUrl, served.config.contentUrl);
    if (config.siteIsDerived && /^(0\.0\.0\.0|\[?::\]?)$/.test(config.host)) log("warn", "no SVC_SITE_URL is set, so links say localhost");
    process.stdout.write(`svc listens on ${served.config.siteUrl}${config.mock ? " with demo data" : ""}\n`);

    const stopped = Promise.withResolvers<void>();
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stopped.resolve());
    await stopped.promise;
    log("info", "draining");
    ctx.follower.close(); // live readers are told to come back
    await Promise.race([Promise.all([server.stop(), stopWorkers()]), Bun.sleep(drainMs)]);
    await ctx.close();
    process.exit(0);
  }),
});
