/** Roles and counts as people write them. */
import type { RoleCount } from "./schema.ts";

/** Reads words such as `legal=2` and `design`; null if one of them is neither. */
export function readRoleCounts(words: readonly string[]): RoleCount[] | null {
  const counts = words.map((word) => {
    const [, role, count = "1"] = /^([^=]+)(?:=(\d+))?$/.exec(word) ?? [];
    return role === undefined ? null : { role, count: Number(count) };
  });
  return counts.every((one) => one !== null) ? counts : null;
}
