/** Actors: who made a change, as `<kind>:<name>`. */

import { badRequest } from "../problem.ts";
import { isActor } from "../wire.ts";
import type { Caller } from "./caller.ts";

/** The actor a caller acts as: `by` if given, else its token. @throws {Problem} 400 if `by` is malformed */
export function actorOf(caller: Pick<Caller, "name" | "actor">, by: string | undefined): string {
  const own = caller.actor ?? `token:${caller.name}`;
  if (by === undefined || by === own) return own;
  if (!isActor(by))
    throw badRequest(
      "by must be the token's own name or <kind>:<name>, where kind is human, bot, runner, or agent.",
    );
  return by;
}

/** The actor in an event. Events have no `token` kind, so a token becomes a bot. */
export const eventActor = (actor: string): string => actor.replace(/^token:/, "bot:");
