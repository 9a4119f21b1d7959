/** Sends a request to the URL of a webhook, which a caller chose: only to addresses that are allowed. */
import type { AllowList } from "./allow-list.ts";
import { DestinationRefused } from "./refused.ts";

export { DestinationRefused };

export interface Answer {
  /** HTTP status. A redirect is not followed: it is an answer like any other. */
  status: number;
  retryAfterMs: number | null;
  /** At most 2 KiB of it. */
  body: string;
}

/** Resolves a hostname to its IP addresses. */
export type Resolver = (hostname: string) => Promise<string[]>;

export interface Target {
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/**
 * Resolves the host once, checks every address, and connects to a checked address with the name in `Host` and
 * TLS. @throws {DestinationRefused} for an address or a URL that is not allowed; any other error may pass
 */
export function post(
  _target: Target,
  _options: { allow: AllowList; timeoutMs: number; signal?: AbortSignal; resolve?: Resolver },
): Promise<Answer> {
  throw new DestinationRefused("Webhooks are not sent yet.");
}
