/** The variants of a set are one item, as they are reviewed together. */
import { setPath } from "../../../memory/set-ref.ts";
import type { Candidate } from "../candidate.ts";

/** What the items of a set have in common. The id holds a hash, as names can be longer than ids. */
export const setItem = (
  prefix: string,
  { project, set }: { project: string; set: string },
): Pick<Candidate, "id" | "title" | "path" | "project"> => {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([project, set])).digest("base64url");
  return { id: `${prefix}-set-${hash.slice(0, 22)}`, title: set, path: setPath(project, set), project };
};
