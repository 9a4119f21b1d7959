/** Two projects with the same words, of which a caller may see one. */
import type { Caller } from "../../../src/core/auth/caller.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";

export const caller: Caller = {
  name: "limited",
  scopes: new Set(allScopes),
  projects: ["atlas"],
  expiresAt: null,
};
