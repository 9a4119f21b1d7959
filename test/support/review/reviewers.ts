/** Projects with a review policy, and reviewers with roles. */
import type { AssetDetail } from "../../../src/library/assets/schema.ts";
import type { NewItem } from "../../../src/library/checklists/schema.ts";
import type { RoleCount } from "../../../src/library/verdicts/schema.ts";
import { link } from "../harness.ts";
import { type Answer, assetScopes, type Library } from "../library.ts";

export interface Reviewers {
  /** A new project, with this policy and checklist for files. */
  project(need?: RoleCount[], items?: NewItem[]): Promise<string>;
  /** The token of a new reviewer with this role, and its name. */
  reviewer(role: string | null): Promise<{ token: string; name: string }>;
  review(id: string, token: string, values: Record<string, unknown>): Promise<Answer<AssetDetail>>;
  detail(id: string): Promise<AssetDetail>;
}

export function reviewersOf(library: Library): Reviewers {
  let count = 0;
  const admin = library.mint([...assetScopes, "reviews:write"], { name: `admin-${crypto.randomUUID()}` });
  const put = async (path: string, json: object) => {
    const { status, body } = await library.say(path, { method: "PUT", json, token: await admin });
    if (status !== 200) throw new Error(`${path}: ${body.detail}`);
  };
  return {
    async project(need = [], items = []) {
      const slug = `project-${++count}`;
      await link(library.ctx.data, slug);
      if (need.length > 0) await put(`/projects/${slug}/review-policies/file`, { need });
      if (items.length > 0) await put(`/projects/${slug}/checklists/file`, { items });
      return slug;
    },
    async reviewer(review_role) {
      const name = `reviewer-${++count}`;
      return { name, token: await library.mint(assetScopes, { name, review_role }) };
    },
    review: (id, token, json) => library.say(`/assets/${id}/review`, { method: "PUT", token, json }),
    detail: async (id) => (await library.say<AssetDetail>(`/assets/${id}`)).body,
  };
}
