/** How often the checks of a decision stopped something. */
import { countText } from "../format.ts";

export const stopsText = (stops: number): string =>
  `stopped something ${stops === 1 ? "once" : `${countText(stops)} times`}`;
