/** @jsxImportSource preact */
/** Who did something. */
import { actorName } from "../core/auth/actor-name.ts";
import { isolateBidi } from "../core/lib/strings/display-text.ts";

/** The name of an actor, the same on every page; its kind is in the title. Nothing without an actor. */
export const Actor = ({ of: actor }: { of: string | null }) =>
  actor && <bdi title={isolateBidi(actor)}>{actorName(actor)}</bdi>;
