/** Who did something. */
import { actorName } from "../core/auth/actor-name.ts";
import { isolateBidi } from "../core/lib/strings/display-text.ts";

/** What follows the name of a guest in its actor, and what people read in its place. */
const guestMarks: [RegExp, string][] = [
  [/\(not-verified\)$/, " (not verified)"],
  [/\(mailed-link\)$/, " (by mailed link)"],
];

/** The name of an actor, the same on every page; its kind is in the title. Nothing without an actor. */
export const Actor = ({ of: actor }: { of: string | null }) =>
  actor && <bdi title={isolateBidi(actor)}>{guestMarks.reduce(replaceMark, actorName(actor))}</bdi>;

const replaceMark = (name: string, [mark, words]: [RegExp, string]): string => name.replace(mark, words);
