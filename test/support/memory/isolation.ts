/** Two projects with the same words, of which a caller may see one. */
import type { Caller } from "../../../src/auth/caller.ts";
import { allScopes } from "../../../src/auth/scopes.ts";

export const caller: Caller = {
  name: "limited",
  scopes: new Set(allScopes),
  projects: ["atlas"],
  expiresAt: null,
};
