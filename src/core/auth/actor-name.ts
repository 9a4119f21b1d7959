import type { Config } from "../config.ts";

/**
 * The name of an actor, by which pages and the command line show it: a token is `token:x` where it made an
 * asset and `bot:x` in events, and is one actor to a reader.
 */
export const actorName = (actor: string): string => actor.replace(/^(token|bot|agent|human|runner):/, "");

/** The name in a sentence of svc. If persons are hidden it is the actor, which the door of answers finds. */
export const actorLabel = (actor: string, { hidePersons }: Pick<Config, "hidePersons">): string =>
  hidePersons ? actor : actorName(actor);

/**
 * The forms of an actor in events: any form of a name finds all of them, except that `human:x` is only the
 * person. @param text `bot:x`, `token:x`, `agent:x`, `runner:x`, `human:x`, or `x`
 */
export function actorForms(text: string): string[] {
  if (text.startsWith("human:")) return [text];
  const name = actorName(text);
  const forms = ["agent", "bot", "runner"].map((kind) => `${kind}:${name}`);
  return name === text ? [...forms, `human:${name}`] : forms;
}

/** The forms of all actors in a list that is separated by commas. */
export const parseActors = (list: string): string[] => [
  ...new Set(list.split(",").flatMap((text) => actorForms(text.trim()))),
];
