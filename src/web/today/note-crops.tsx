/** What a note asked for, at its places: each mark of the rejected version, before and after. */

import type { Annotation } from "../../library/annotations/schema.ts";
import { placeText } from "../../library/annotations/text.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { loadAssetAnnotations } from "../annotations/asset-annotations.ts";
import { Crop } from "../annotations/crop.tsx";
import type { View } from "../view.ts";

const marksMax = 4;

/** The marks of a version that have a place on its image, the most important first. */
export async function loadMarks(view: View, version: Asset): Promise<Annotation[]> {
  if (version.kind !== "image") return [];
  const { annotations } = await loadAssetAnnotations(view, version);
  const rank = ({ weight }: Annotation) => ["must", "should", "nit"].indexOf(weight);
  return annotations
    .filter(({ target, state }) => target?.shape !== undefined && state !== "withdrawn")
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, marksMax);
}

interface Props {
  before: Asset;
  /** Null while no version came after it. */
  after: Asset | null;
  marks: readonly Annotation[];
}

export const NoteCrops = ({ before, after, marks }: Props) =>
  marks.length > 0 && (
    <ol class="note-crops">
      {marks.map(({ id, weight, body, target }) => (
        <li key={id}>
          <div class="crops">
            <Crop
              asset={before}
              target={target}
              label={`${placeText(target)} in version ${before.version}`}
            />
            {after && (
              <Crop
                asset={after}
                target={target}
                label={`${placeText(target)} in version ${after.version}`}
              />
            )}
          </div>
          <p>
            <strong>{weight}</strong> <bdi>{body}</bdi>
          </p>
        </li>
      ))}
    </ol>
  );
