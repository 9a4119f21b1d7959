/** Who acts on an asset. */

import { badRequest } from "../problem.ts";
import { isActor } from "../wire.ts";
import type { Caller } from "./caller.ts";

/** `by`, where it is one of the four kinds of actors or the caller's own token; else the token. */
export function actorOf(caller: Pick<Caller, "name" | "actor">, by: string | undefined): string {
  const own = caller.actor ?? `token:${caller.name}`;
  if (by === undefined || by === own) return own;
  if (!isActor(by))
    throw badRequest(
      "by must be the token's own name or <kind>:<name>, where kind is human, bot, runner, or agent.",
    );
  return by;
}

/** The service itself, in events and in the audit. */
export const ownActor = "bot:svc";

/** Events know four kinds of actors: a token acts as a bot there. */
export const eventActor = (actor: string): string => actor.replace(/^token:/, "bot:");
