/** Request metrics by surface. Paths would be unbounded label values, as clients can request any path. */

import { paths } from "../../../core/info.ts";
import type { Metrics } from "../../../core/metrics.ts";
import { signedFilePath } from "../../../library/assets/files/signed-urls.ts";
import { mediaPath } from "../../../library/assets/schema.ts";

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
  return {
    inFlight: metrics.requestsInFlight.of(surface),
    duration: metrics.requestDuration.of(surface),
    countResponse: (status: number) => metrics.requests.of(surface, String(status)).add(),
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
