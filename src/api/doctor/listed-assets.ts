/** All assets of a deployment, as the checks of its files read them. */

import type { AssetRow, RenderedAsset } from "../../library/rows.ts";
import type { Context } from "../context.ts";

const pageLength = 200;

export async function* listAssets({ data }: Pick<Context, "data">): AsyncGenerator<AssetRow> {
  for (let after: RenderedAsset | undefined; ; ) {
    const page = await data.assets(null, { limit: pageLength, ...(after && { after }) });
    for (const row of await Promise.all(page.map(({ id }) => data.asset(null, id)))) if (row) yield row;
    after = page.at(-1);
    if (page.length < pageLength) return;
  }
}
