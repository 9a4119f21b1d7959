/** How people and agents are told that a file repeats one that was rejected. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Repeats } from "./schema.ts";

/** One sentence with the note of the rejection. */
export const repeatText = ({ id, note }: Pick<Repeats, "id" | "note">): string =>
  `This file was already rejected as ${id}${note === null ? "." : `: "${isolateBidi(note.trim())}"`}`;
