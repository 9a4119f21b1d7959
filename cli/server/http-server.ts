/** Runs the HTTP server of a context until a signal, then drains. */

import { streamProblem } from "../../src/api/http/files/response.ts";
import { idleSeconds } from "../../src/api/http/limits/idle-timeout.ts";
import { Readiness } from "../../src/api/http/monitoring/health.ts";
import { collectWhenIdle } from "../../src/api/http/monitoring/idle-memory.ts";
import { problemResponse } from "../../src/api/http/problem-response.ts";
import { type Config, withPort } from "../../src/core/config.ts";
import { recordServerUrls } from "../../src/core/server-urls.ts";
import { buildApp, type Handler } from "../../src/web/app.ts";
import { warmUpAfterVisit } from "../../src/web/warm-up.ts";
import { CommandError } from "../command-errors.ts";
import type { OpenContext } from "../open.ts";
import { writeOutput } from "../output/terminal.ts";
import { useUsualJitOnceBusy } from "../usual-jit.ts";
import { surviveUnhandledErrors } from "./unhandled-errors.ts";
import { startWorkers } from "./workers.ts";

/** How long requests and workers in flight may continue after the signal to stop. */
const drainMs = 10_000;
/** How long `/readyz` fails before the listener closes, so that a proxy stops sending requests. */
const proxyNoticeMs = 5_000;
const closeMs = 5_000;
const idleTurnMs = 0.1;

interface ServerOptions {
  /** The text to print once the server listens. `served` has the URLs with the port that it bound. */
  announce(served: OpenContext): Promise<string>;
  /** Bind any free port if the configured one is in use. */
  allowsOtherPort?: boolean;
}

/** Listens, and resolves after a signal, when the server has drained and the context is closed. */
export async function runServer(
  ctx: OpenContext,
  { announce, allowsOtherPort = false }: ServerOptions,
): Promise<void> {
  const { config, log } = ctx;
  surviveUnhandledErrors(ctx);
  const noteRequest = collectWhenIdle(ctx);
  const noteWork = useUsualJitOnceBusy();
  const bind = (port: number): Bun.Server<undefined> =>
    listen(
      { ...config, port },
      (request, server) => {
        noteWork();
        noteRequest(request);
        noteVisit(request);
        return handle(request, server);
      },
      (error) => problemResponse(served, streamProblem(error), "/"),
    );
  // From the first response on a signal drains: a supervisor may send it as soon as `/healthz` answers.
  const signal = firstSignal();
  const server = allowsOtherPort ? bindAny(bind, config.port) : bind(config.port);
  // The port may be known only now. Every link contains it.
  const served = { ...ctx, config: withPort(config, server.port ?? config.port) };
  const readiness = new Readiness();
  const handle = buildApp(served, readiness);
  const noteVisit = warmUpAfterVisit(served, () => !readiness.isStopping);
  const stopWorkers = startWorkers(served);
  if (config.siteIsDerived && /^(0\.0\.0\.0|\[?::\]?)$/.test(config.host))
    log("warn", "SVC_SITE_URL is not set, so links point to localhost");
  // A full disk must not keep the server from answering reads.
  if (!config.mock)
    await recordServerUrls(served).catch((error) =>
      log("warn", "cannot record the URL of the server", { error: String(error) }),
    );
  writeOutput(await announce(served), () => {}); // it serves though standard output is closed

  await signal;
  log("info", "draining");
  await readiness.stop(proxyNoticeMs);
  await idleTurn();
  const stopped = server.stop();
  ctx.feedNotifier.close(); // ends live streams; their clients reconnect to another process
  await Promise.race([Promise.all([stopped, stopWorkers()]), Bun.sleep(drainMs)]);
  await Promise.race([ctx.close(), Bun.sleep(closeMs)]);
}

function bindAny(bind: (port: number) => Bun.Server<undefined>, port: number): Bun.Server<undefined> {
  try {
    return bind(port);
  } catch {
    return bind(0);
  }
}

/**
 * Binds the port.
 *
 * @param onLate renders an error that occurs after the handler returned, such as a file deleted in between
 * @throws CommandError if the host or port cannot be bound
 */
function listen(config: Config, fetch: Handler, onLate: (error: unknown) => Response): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      // Bun sets SO_REUSEPORT if `development` is false: a second process on the same port would silently
      // receive some of the connections.
      reusePort: false,
      // Bun's own 413 has no body. svc enforces its limits itself, with problem documents.
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

/** Turns an error of `Bun.serve` into a line that says what to do. */
function bindError(error: Error & { code?: string }, { host, port }: Config): Error {
  if (error.code === "EADDRINUSE")
    return new CommandError(
      `Port ${port} on ${host} is already in use. Stop the other process, or choose another port ` +
        "with --port.",
    );
  if (error.code === "EADDRNOTAVAIL")
    return new CommandError(
      `Cannot bind to ${host}: this machine has no such address. Choose another host with --host.`,
    );
  if (error.code === "EACCES")
    return new CommandError(`Permission denied for port ${port}. Choose a port above 1023 with --port.`);
  return error;
}

/** Resolves on the first SIGINT or SIGTERM. The second one ends the process immediately. */
async function firstSignal(): Promise<void> {
  const first = Promise.withResolvers<void>();
  let isStopping = false;
  for (const [signal, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
  ] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(128 + number);
      isStopping = true;
      first.resolve();
    });
  }
  await first.promise;
}

/**
 * Waits for an idle turn of the event loop. Closing the listener resets connections that the kernel has
 * accepted but the process has not, so it is closed when none are pending.
 */
async function idleTurn(): Promise<void> {
  for (let rounds = 0; rounds < 1_000; rounds++) {
    const startedAt = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    if (performance.now() - startedAt < idleTurnMs) return;
  }
}
