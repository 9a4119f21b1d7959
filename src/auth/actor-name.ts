/**
 * The name of an actor, by which pages and the command line show it: a token is `token:x` where it made an
 * asset and `bot:x` in events, and is one actor to a reader.
 */
export const actorName = (actor: string): string => actor.replace(/^(token|bot|agent|human|runner):/, "");
