/** What a caller may know about its own token. */
import { fromMicros } from "../lib/time.ts";
import type { Caller } from "./caller.ts";
import type { TokenInfo } from "./token.ts";

/** What a caller may know about its own token. */
export const describeToken = ({ name, scopes, projects, expiresAt }: Caller): TokenInfo => ({
  name: name ?? "",
  scopes: [...scopes],
  projects: projects && [...projects],
  expires_at: expiresAt === null ? null : fromMicros(expiresAt),
});
