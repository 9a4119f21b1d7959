/** Counts every request to the site by its surface: paths are anybody's to invent, surfaces are few. */
import { mediaPath } from "../assets/schema.ts";
import { bytesPath } from "../assets/signed-urls.ts";
import { paths } from "../info.ts";
import type { Metrics } from "../metrics.ts";
import type { Connection } from "./api-middleware.ts";

type Handler = (request: Request, connection: Connection | null) => Promise<Response>;

/** Beginning of a path → surface, the first that fits; the rest are pages. */
const surfaces = [
  [`${paths.api}/`, "api"],
  [paths.mcp, "mcp"],
  [paths.webhook, "webhook"],
  [`${bytesPath}/upload/`, "upload"],
  [`${bytesPath}/`, "bytes"],
  [`${mediaPath}/`, "bytes"],
  ["/web/", "web"],
  [paths.health, "health"],
  [paths.ready, "health"],
  [paths.metrics, "health"],
] as const;
type Surface = (typeof surfaces)[number][1] | "page";

export function measureRequests(metrics: Metrics, handle: Handler): Handler {
  const meters = new Map<Surface, ReturnType<typeof meterOf>>();
  return async (request, connection) => {
    const surface = surfaceOf(request.url);
    let meter = meters.get(surface);
    if (!meter) meters.set(surface, (meter = meterOf(metrics, surface)));
    const begun = performance.now();
    meter.inFlight.add(1);
    if (request.method !== "GET" && request.method !== "HEAD")
      metrics.bytesReceived.of(surface).add(lengthOf(request.headers));
    const response = await handle(request, connection);
    meter.inFlight.add(-1);
    meter.duration.observe((performance.now() - begun) / 1000);
    meter.answered(response.status);
    if (surface === "bytes") metrics.bytesSent.of(surface).add(lengthOf(response.headers));
    return response;
  };
}

function meterOf(metrics: Metrics, surface: Surface) {
  return {
    inFlight: metrics.requestsInFlight.of(surface),
    duration: metrics.requestDuration.of(surface),
    answered: (status: number) => metrics.requests.of(surface, String(status)).add(),
  };
}

function surfaceOf(url: string): Surface {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  for (const [beginning, surface] of surfaces) if (url.startsWith(beginning, start)) return surface;
  return "page";
}

/** What somebody says who may lie: not a number, or below nothing, counts as nothing. */
function lengthOf(headers: Headers): number {
  const length = Number(headers.get("content-length") ?? 0);
  return length > 0 && Number.isSafeInteger(length) ? length : 0;
}
