/** Operations on the sessions of the caller. */
import { Type } from "@sinclair/typebox";
import type { CoreContext } from "../../context.ts";
import { operationOf } from "../../operation.ts";
import { endOtherSessions as endOthers, endOwnSession, listOwnSessions } from "./own-sessions.ts";
import { EndedSessions, OwnSessions, SessionPath } from "./schema.ts";

const operation = operationOf<CoreContext>("tokens");

const forEveryone = { scope: "public", token: "any" } as const;

export const listSessions = operation({
  ...forEveryone,
  id: "listSessions",
  summary: "List your sessions",
  description: "The browsers that are signed in as you, with their devices and last uses.",
  http: { method: "GET", path: "/sessions", errors: [401] },
  input: Type.Object({}),
  output: OwnSessions,
  run: (ctx, _, caller) => listOwnSessions(ctx, caller),
});

export const endSession = operation({
  ...forEveryone,
  id: "endSession",
  summary: "End a session of yours",
  description: "Signs a browser out, such as that of a lost laptop. Its open pages end within seconds.",
  http: { method: "POST", path: "/sessions/{id}/end", media: null, errors: [401, 404] },
  input: SessionPath,
  output: EndedSessions,
  run: endOwnSession,
});

export const endOtherSessions = operation({
  ...forEveryone,
  id: "endOtherSessions",
  summary: "End your other sessions",
  description: "Signs out every browser that is signed in as you, but for the one that asks.",
  http: { method: "POST", path: "/sessions/end", media: null, errors: [401] },
  input: Type.Object({}),
  output: EndedSessions,
  run: (ctx, _, caller) => endOthers(ctx, caller),
});
