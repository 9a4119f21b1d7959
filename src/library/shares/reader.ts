import type { ShareRow } from "./rows.ts";

/** Under which the verdicts and comments of a share are found again, whatever name was typed. */
export const guestReader = ({ id }: Pick<ShareRow, "id">): string => `share:${id}`;
