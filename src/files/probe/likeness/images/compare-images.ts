/** In the child: what changed between two images, compared as they are shown. */
import type { BlockReader } from "../../bytes.ts";
import type { Size } from "../../geometry.ts";
import { openImage } from "../../images/image.ts";
import { decodePng, type Raster } from "../../images/raster.ts";
import { unit } from "../../marks/schema.ts";
import { type ChangeBox, type ChangeLayer, layersMax, type PictureChange } from "../schema.ts";
import { changedPixels, differencesOf, roundingMax, worstOf } from "./changed-pixels.ts";
import { layersOf } from "./layers.ts";

/** Larger images are scaled down, so that a child has memory for two of them. */
const pixelsMax = 4_000_000;
/** The most that aspect ratios differ by rounding to whole pixels. */
const ratioTolerance = 0.01;
const lossyTypes = new Set(["image/jpeg", "image/webp"]);
/** Fewer pixels of a million are noise of a lossy encoder: smeared colors at the edges of text. */
const noiseMax = 200;
/** Height of the box that shows where a part is gone that the newer image does not have. */
const edge = 50;

interface ImageFile {
  file: BlockReader;
  mime: string;
}

/**
 * Images of one shape are compared at the size of the newer one; of others, the upper left corner, as of a
 * page that grew. Throws if one of them is damaged or too large.
 */
export async function compareImages(before: ImageFile, after: ImageFile): Promise<PictureChange> {
  const [older, newer] = [openImage(before.file, before), openImage(after.file, after)];
  const ratioOf = ({ width, height }: Size) => width / height;
  const isOneShape = Math.abs(ratioOf(older) / ratioOf(newer) - 1) < ratioTolerance;
  const isOneSize = older.width === newer.width && older.height === newer.height;
  const scale = Math.min(
    1,
    Math.sqrt(pixelsMax / Math.max(older.width * older.height, newer.width * newer.height)),
  );
  const draw = async (image: typeof older, like: Size): Promise<Raster> => {
    const side = Math.max(1, Math.round(scale * Math.max(like.width, like.height)));
    const scaled = await image.scaled({ min: side, max: side });
    return decodePng(await scaled.png({ compressionLevel: 0 }).bytes());
  };
  const [one, other] = [await draw(older, isOneShape ? newer : older), await draw(newer, newer)];
  const shared = { width: Math.min(one.width, other.width), height: Math.min(one.height, other.height) };
  const differences = differencesOf(cropped(one, shared), cropped(other, shared));
  const worst = worstOf(differences);
  if (worst <= roundingMax && isOneSize && scale === 1) return { state: "same", worst, layers: [] };
  const isLossy = !isOneSize || lossyTypes.has(before.mime) || lossyTypes.has(after.mime);
  const found = layersOf(
    { differences, ...shared },
    changedPixels(differences, shared.width, isLossy),
  ).filter(({ pixels }) => !isLossy || pixels > noiseMax);
  const layers = [
    ...(isOneShape ? [] : [outsideOf(one, other)]),
    ...found.map((layer) => placed(layer, shared, other)),
  ];
  return { state: layers.length === 0 ? "similar" : "changed", worst, layers: layers.slice(0, layersMax) };
}

function cropped({ width, pixels }: Raster, size: Size): Raster {
  if (width === size.width) return { ...size, pixels: pixels.subarray(0, size.width * size.height * 4) };
  const rows = new Uint8Array(size.width * size.height * 4);
  for (let row = 0; row < size.height; row++)
    rows.set(pixels.subarray(row * width * 4, (row * width + size.width) * 4), row * size.width * 4);
  return { ...size, pixels: rows };
}

/** The parts of the newer image that the older one did not have, or the edges where it had more. */
function outsideOf(older: Size, newer: Size): ChangeLayer {
  const span = (was: number, is: number): [number, number] =>
    is > was ? [Math.floor((was / is) * unit), unit - Math.floor((was / is) * unit)] : [unit - edge, edge];
  const boxes: ChangeBox[] = [];
  if (older.width !== newer.width) {
    const [x, w] = span(older.width, newer.width);
    boxes.push([x, 0, w, unit]);
  }
  if (older.height !== newer.height) {
    const [y, h] = span(older.height, newer.height);
    boxes.push([0, y, unit, h]);
  }
  const pixels = Math.round(Math.max(...boxes.map(([, , w, h]) => (w / unit) * (h / unit))) * 1e6);
  return { color: null, pixels, boxes };
}

/** Boxes in the part that both images have, as boxes in the newer one. */
function placed(layer: ChangeLayer, shared: Size, { width, height }: Size): ChangeLayer {
  const [byX, byY] = [shared.width / width, shared.height / height];
  const boxes = layer.boxes.map(
    ([x, y, w, h]): ChangeBox => [
      Math.round(x * byX),
      Math.round(y * byY),
      Math.round(w * byX),
      Math.round(h * byY),
    ],
  );
  return { ...layer, boxes };
}
