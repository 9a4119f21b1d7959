/** What a pending set is called, in lists of what waits. */
import { pluralize } from "../lib/quantities.ts";
import { variantsMax } from "../variant-sets/schema.ts";

/** "40 variants"; "1,000+ variants" where counting stopped. */
export const variantsText = (count: number): string =>
  count >= variantsMax ? `${variantsMax.toLocaleString("en")}+ variants` : pluralize(count, "variant");

/** "hero image: 40 variants" */
export const waitingSetText = ({ set, count }: { set: string; count: number }): string =>
  `${set}: ${variantsText(count)}`;
