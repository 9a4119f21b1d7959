/** `svc serve`: migrate, listen, say where, drain at a signal. */
import { defineCommand } from "citty";
import { buildApp, type Handler } from "../src/app.ts";
import { type Config, withPort } from "../src/config.ts";
import { streamProblem } from "../src/http/file-response.ts";
import { Readiness } from "../src/http/health.ts";
import { idleSeconds } from "../src/http/idle-timeout.ts";
import { problemResponse } from "../src/http/problem-response.ts";
import { CommandError, dataDirFlag, run } from "./command.ts";
import { openAsConfigured } from "./open.ts";
import { recordServedAt } from "./server-url.ts";
import { surviveUnhandledErrors } from "./unhandled-errors.ts";
import { startWorkers } from "./workers.ts";

/** What is at work when the process is told to stop may go on for so long. */
const drainMs = 10_000;
/** So long a proxy has to notice that it should send nothing more. */
const noticeMs = 5_000;
const closeMs = 5_000;
const quietMs = 0.1;

export default defineCommand({
  args: {
    host: { type: "string", description: "Address to listen on (SVC_HOST)" },
    port: { type: "string", description: "Port, 0 for a free one (SVC_PORT)" },
    ...dataDirFlag,
    mock: { type: "boolean", description: "Serve demo data from memory, read-only" },
  },
  run: run(async ({ args }) => {
    const ctx = await openAsConfigured({
      SVC_HOST: args.host,
      SVC_PORT: args.port,
      SVC_DATA_DIR: args["data-dir"],
      SVC_DATA_MODE: args.mock ? "mock" : undefined,
    });
    const { config, log } = ctx;
    surviveUnhandledErrors(ctx);
    const server = listen(
      config,
      (request, server) => handle(request, server),
      (error) => problemResponse(served, streamProblem(error), "/"),
    );
    // A port that was picked just now has to be in every link.
    const served = { ...ctx, config: withPort(config, server.port ?? config.port) };
    const readiness = new Readiness();
    const handle = buildApp(served, readiness);
    const stopWorkers = startWorkers(served);
    if (config.siteIsDerived && /^(0\.0\.0\.0|\[?::\]?)$/.test(config.host))
      log("warn", "no SVC_SITE_URL is set, so links say localhost");
    // A full disk must not keep the server from answering reads.
    if (!config.mock)
      await recordServedAt(ctx.data, served.config).catch((error) =>
        log("warn", "the URL was not recorded", { error: String(error) }),
      );
    process.stdout.write(`svc listens on ${served.config.siteUrl}${config.mock ? " with demo data" : ""}\n`);

    await firstSignal();
    log("info", "draining");
    await readiness.stop(noticeMs);
    await quietMoment();
    const stopped = server.stop();
    ctx.follower.close(); // live readers are told to come back, and find another process
    await Promise.race([Promise.all([stopped, stopWorkers()]), Bun.sleep(drainMs)]);
    await Promise.race([ctx.close(), Bun.sleep(closeMs)]);
    process.exit(0);
  }),
});

/**
 * @param onLate answers what becomes known only when an answer is on its way: a file that is gone since it
 * was seen
 */
function listen(config: Config, fetch: Handler, onLate: (error: unknown) => Response): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      // Bun sets SO_REUSEPORT where `development` is false: a second process would silently take a share of
      // the connections.
      reusePort: false,
      // Bun's own refusals are bare; ours are problem documents, so ours come first.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: idleSeconds,
      development: false,
      fetch,
      error: onLate,
    });
  } catch (error) {
    throw bindError(error as Error, config);
  }
}

/** What `Bun.serve` throws, as a line that says what to do. */
function bindError(error: Error & { code?: string }, { host, port }: Config): Error {
  if (error.code === "EADDRINUSE")
    return new CommandError(
      `port ${port} on ${host} is in use; stop the other process, or choose a port with --port`,
    );
  if (error.code === "EADDRNOTAVAIL")
    return new CommandError(`cannot bind ${host}: it is not an address of this machine; see --host`);
  if (error.code === "EACCES")
    return new CommandError(`this user may not bind port ${port}; choose one above 1023 with --port`);
  return error;
}

/** Resolves at the first signal to stop; the second one ends the process at once, as it would without us. */
async function firstSignal(): Promise<void> {
  const first = Promise.withResolvers<void>();
  let came = false;
  for (const [signal, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const) {
    process.on(signal, () => {
      if (came) process.exit(128 + number);
      came = true;
      first.resolve();
    });
  }
  await first.promise;
}

/**
 * Connections that wait to be taken are cut off with the listener. So it is closed when a round of the event
 * loop found nothing to do, which even a busy server has soon.
 */
async function quietMoment(): Promise<void> {
  for (let rounds = 0; rounds < 1_000; rounds++) {
    const begun = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    if (performance.now() - begun < quietMs) return;
  }
}
