/**
 * Whether a page of the site may send bytes to the bucket itself, as the bucket's rules for other origins
 * (CORS) have it.
 */
import { ulid } from "ulid";
import { probeKey } from "./keys.ts";
import type { Store } from "./store.ts";

const timeoutMs = 10_000;

/** Asks as a browser does before it sends. Null: the bytes go to the service. */
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
