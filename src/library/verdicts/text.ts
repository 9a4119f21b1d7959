/** Approvals in words. */
import type { Approvals, RoleCount } from "./schema.ts";

const list = new Intl.ListFormat("en", { type: "conjunction" });

/** `design and 2 legal` */
export const rolesText = (roles: readonly RoleCount[]): string =>
  list.format(roles.map(({ role, count }) => (count === 1 ? role : `${count} ${role}`)));

/** `waiting for 2 more: design and legal` */
export const waitingText = ({ have, need, missing }: Approvals): string =>
  `waiting for ${need - have} more: ${rolesText(missing)}`;
