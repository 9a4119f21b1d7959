/** Checks whether the bucket's CORS rules let the site's pages upload to it directly. */
import { ulid } from "ulid";
import { probeKey } from "../keys.ts";
import type { Store } from "../store.ts";

const timeoutMs = 10_000;

/**
 * Sends the preflight request of a browser upload. Null if the store signs no URLs, so uploads go through the
 * service.
 */
export async function allowsBrowserUploads(store: Store, site: string): Promise<boolean | null> {
  const signed = await store.signedPut(probeKey(ulid()), { type: "text/plain", expiresSeconds: 60 });
  if (!signed) return null;
  const headerNames = Object.keys(signed.headers);
  const headers = {
    origin: site,
    "access-control-request-method": "PUT",
    "access-control-request-headers": headerNames.join(","),
  };
  const { headers: responseHeaders } = await fetch(signed.url, {
    method: "OPTIONS",
    headers,
    redirect: "manual", // a browser follows none here
    signal: AbortSignal.timeout(timeoutMs),
  });
  const allows = (name: string, value: string) => {
    const allowed = (responseHeaders.get(`access-control-allow-${name}`) ?? "")
      .split(",")
      .map((entry) => entry.trim().toLowerCase());
    return allowed.includes("*") || allowed.includes(value.toLowerCase());
  };
  return (
    allows("origin", site) && allows("methods", "PUT") && headerNames.every((name) => allows("headers", name))
  );
}
