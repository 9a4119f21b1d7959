/** A request that is made to be costly, and the pieces of its body. */
import { programToken } from "../support/program.ts";

export interface CostlyRequest {
  /** Method and path. */
  route: string;
  what: string;
  query?: string;
  headers: Record<string, string>;
  body?: () => Uint8Array;
}

export const [KiB, MiB] = [2 ** 10, 2 ** 20];
export const json = { "content-type": "application/json" };
export const bearer = { authorization: `Bearer ${programToken}` };

/** As often as it fits. */
export const fill = (bytes: number, text: string) => text.repeat(Math.floor(bytes / text.length));
export const between = (bytes: number, before: string, text: string, after: string) => () =>
  Buffer.from(before + fill(bytes - before.length - after.length, text) + after);
