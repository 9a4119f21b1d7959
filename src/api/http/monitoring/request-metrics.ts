/** Request metrics by surface. Paths would be unbounded label values, as clients can request any path. */

import { callerFrom } from "../../../core/auth/authentication.ts";
import { authorize } from "../../../core/auth/authorization.ts";
import { paths } from "../../../core/info.ts";
import { contentType } from "../../../core/lib/prometheus.ts";
import type { Metrics } from "../../../core/metrics.ts";
import { forbidden } from "../../../core/problem.ts";
import { commit, version } from "../../../core/version.ts";
import { signedFilePath } from "../../../library/assets/files/signed-urls.ts";
import { mediaPath } from "../../../library/assets/schema.ts";
import type { Context } from "../../context.ts";
import type { RouteHandler } from "../plain-route.ts";

/** Path prefix → surface; the first match wins. Everything else is a page. */
const surfaces = [
  [`${paths.api}/`, "api"],
  [paths.mcp, "mcp"],
  [`${paths.hooks}/`, "webhook"],
  [`${paths.otlp}/`, "telemetry"],
  [paths.litellm, "telemetry"],
  [`${paths.langfuse}/`, "telemetry"],
  [`${signedFilePath}/upload/`, "upload"],
  [`${signedFilePath}/`, "bytes"],
  [`${mediaPath}/`, "bytes"],
  ["/web/", "web"],
  [paths.health, "health"],
  [paths.ready, "health"],
  [paths.metrics, "health"],
] as const;
type Surface = (typeof surfaces)[number][1] | "page";

/** Returns what to call when a request begins, which returns what to call with its response. */
export function openRequestMeters(metrics: Metrics): (request: Request) => (response: Response) => void {
  const meters = new Map<Surface, ReturnType<typeof meterOf>>();
  return (request) => {
    const surface = surfaceOf(request.url);
    const meter = meters.get(surface) ?? meterOf(metrics, surface);
    meters.set(surface, meter);
    const startedAt = performance.now();
    meter.inFlight.add(1);
    if (request.method !== "GET" && request.method !== "HEAD")
      metrics.bytesReceived.of(surface).add(lengthOf(request.headers));
    return (response) => {
      meter.inFlight.add(-1);
      meter.duration.observe((performance.now() - startedAt) / 1000);
      meter.countResponse(response.status);
      if (surface === "bytes") metrics.bytesSent.of(surface).add(lengthOf(response.headers));
    };
  };
}

function meterOf(metrics: Metrics, surface: Surface) {
  const responses = new Map<number, ReturnType<Metrics["requests"]["of"]>>();
  return {
    inFlight: metrics.requestsInFlight.of(surface),
    duration: metrics.requestDuration.of(surface),
    countResponse(status: number) {
      const count = responses.get(status) ?? metrics.requests.of(surface, String(status));
      responses.set(status, count);
      count.add();
    },
  };
}

function surfaceOf(url: string): Surface {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  for (const [prefix, surface] of surfaces) if (url.startsWith(prefix, start)) return surface;
  return "page";
}

/** `Content-Length` in bytes. It is untrusted: a missing, malformed or negative value counts as 0. */
function lengthOf(headers: Headers): number {
  const length = Number(headers.get("content-length") ?? 0);
  return length > 0 && Number.isSafeInteger(length) ? length : 0;
}

/** A scrape waits at most this long for an unresponsive database. */
const databaseTimeoutMs = 2_000;

export const metricsRoute = (ctx: Context): Record<string, RouteHandler> => ({
  async [paths.metrics](request) {
    const caller = await callerFrom(request.headers.get("authorization"), ctx.config, ctx.data, ctx.now());
    authorize(caller, "feed:read", ctx.config);
    if (caller.projects !== null)
      throw forbidden(
        "Metrics cover all projects, but this token is limited to some. Use one without a project limit.",
      );
    await updateGauges(ctx);
    return new Response(ctx.metrics.text(), {
      headers: {
        "content-type": contentType,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
      },
    });
  },
});

/** Updates the metrics that are read at scrape time. */
async function updateGauges({ config, data, metrics, probe, now }: Context): Promise<void> {
  metrics.build.of(version, commit, config.databaseUrl.startsWith("sqlite:") ? "sqlite" : "postgres").set(1);
  metrics.started.of().set((Date.now() - performance.now()) / 1000);
  const { user, system } = process.cpuUsage();
  metrics.cpu.of().value = (user + system) / 1e6;
  metrics.resident.of().set(process.memoryUsage.rss());
  const { running, waiting } = probe.load();
  metrics.probesRunning.of().set(running);
  metrics.probesWaiting.of().set(waiting);
  const backlog = await Promise.race([
    data.backlog(now()).catch(() => null),
    Bun.sleep(databaseTimeoutMs).then(() => null),
  ]);
  metrics.databaseUp.of().set(backlog ? 1 : 0);
  if (!backlog) return;
  metrics.outboxRows.of().set(backlog.outbox);
  metrics.outboxAge.of().set(backlog.oldest === null ? 0 : Math.max(0, now() - backlog.oldest) / 1e6);
  metrics.uploadsReserved.of().set(backlog.uploads);
}
