/** Checks the URL of a new webhook, so that its author learns of a problem before the first delivery. */
import type { AllowList } from "../../../core/lib/http/allow-list.ts";
import {
  DestinationRefused,
  findDestination,
  parseDestination,
  type Resolver,
  requireSecure,
} from "./destination.ts";
import { untilAborted } from "./until-aborted.ts";

const resolveMs = 5_000;

/**
 * Parses a URL and checks its host. A host that has no address just now passes, by http only if the list has
 * its name: each delivery checks again.
 * @throws {DestinationRefused}
 */
export async function checkDestination(text: string, allow: AllowList, resolve?: Resolver): Promise<URL> {
  const found = findDestination(text, allow, resolve);
  try {
    return (await untilAborted(found, AbortSignal.timeout(resolveMs))).url;
  } catch (error) {
    if (error instanceof DestinationRefused) throw error;
  }
  const url = parseDestination(text);
  requireSecure(url, allow.names.includes(url.hostname.replace(/\.$/, "")));
  return url;
}
