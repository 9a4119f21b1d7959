/** What a glTF file contains, and whether the viewer can show it. */

import { isModel } from "../../../files/probe/model/model-types.ts";
import type { ModelContents } from "../../../files/probe/model/schema.ts";
import type { LibraryContext } from "../../context.ts";
import type { Asset } from "../schema.ts";
import { loadReading } from "./reading.ts";

/** Null for a damaged file, and for other files. */
export async function loadModel(
  ctx: LibraryContext,
  asset: Pick<Asset, "id" | "mime">,
): Promise<ModelContents | null> {
  return isModel(asset)
    ? loadReading(ctx, asset.id, "model.json", (source, mime) => ctx.probe.model(source, mime))
    : null;
}

/** Why the viewer cannot show the model; null if it can. */
export function modelProblem(model: ModelContents | null): string | null {
  if (!model) return "This file is not valid glTF 2.0, or could not be checked.";
  const { undecoded, missing } = model;
  if (missing.length > 0)
    return `This file refers to other files: ${missing.join(", ")}. Export it as one .glb to view it here.`;
  if (undecoded.length > 0)
    return `The viewer cannot decode ${undecoded.join(", ")}. Export it without that to view it here.`;
  return null;
}

const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? noun : nouns}`;

/** Such as `2 meshes, 1,200 triangles, 1 texture, no animation`. */
export const describeModel = ({ meshes, triangles, textures, animations }: ModelContents): string =>
  [
    plural(meshes, "mesh", "meshes"),
    ...[plural(triangles, "triangle"), plural(textures, "texture"), plural(animations, "animation")],
  ].join(", ");
