/** Variant sets, and their reviews over the API. */

import type { Provenance } from "../../../src/files/provenance/schema.ts";
import type { NewAsset } from "../../../src/library/assets/versions.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import type { SetReview } from "../../../src/library/variant-sets/schema.ts";
import type { Answer, Library } from "../library.ts";

/** As an upload states it. */
export const madeWith = (stated: Partial<Provenance>): Provenance => ({
  ...{ source: "upload", generator: null, model: null, prompt: null, negative_prompt: null },
  ...{ seed: null, parameters: null, ...stated },
});

/** Adds `count` variants to a set: `v1.png` with seed 1, and so on. */
export async function plantSet(
  library: Library,
  set: string,
  count: number,
  asset: Partial<NewAsset> = {},
): Promise<AssetRow[]> {
  const rows: AssetRow[] = [];
  for (let n = 1; n <= count; n++) {
    library.clock.advance(1);
    const row = await library.plant({ set, title: `v${n}.png`, ...asset });
    const stated = [madeWith({ model: "sdxl-1.0", prompt: "a harbor at dawn", seed: `${n}` })];
    await library.ctx.data.atomically((writes) => writes.addProvenance(row.id, row.project, stated));
    rows.push(row);
  }
  return rows;
}

export interface SetVerdicts {
  project?: string;
  set: string;
  pick: readonly Pick<AssetRow, "id">[];
  reject?: readonly Pick<AssetRow, "id">[];
  note?: string;
  /** Other fields of the request. */
  more?: Record<string, unknown>;
  token?: string;
}

export const reviewSet = (
  library: Library,
  { project = "atlas", set, pick, reject = [], note, more = {}, token }: SetVerdicts,
): Promise<Answer<SetReview>> =>
  library.say<SetReview>("/assets/review", {
    method: "PUT",
    json: {
      ...{ project, set, note, ...more },
      variants: [
        ...reject.map(({ id }) => ({ id, decision: "rejected" })),
        ...pick.map(({ id }) => ({ id, decision: "approved" })),
      ],
    },
    ...(token !== undefined && { token }),
  });
