/** In the child: an image that is compared with several others, decoded once for each size. */
import type { Size } from "../../geometry.ts";
import type { OpenedImage } from "../../images/image.ts";
import { decodePng } from "../../images/raster.ts";
import { hasTransparency, type Planes, planesOf } from "./planes.ts";

export interface ComparedPicture extends Size {
  hasTransparency(size: Size): Promise<boolean>;
  /** @param ground the gray that shows through transparent pixels */
  planes(size: Size, ground: number): Promise<Planes>;
}

/** Sizes at which an image is remembered: three pairs of them take as much memory as it does. */
const sizesMax = 3;

export function comparedPicture(image: OpenedImage): ComparedPicture {
  const decoded = remembered(async (size: Size) => {
    const scaled = await image.scaled({ width: size.width, height: size.height });
    const raster = decodePng(await scaled.png({ compressionLevel: 0 }).bytes());
    return { raster, isClear: hasTransparency(raster) };
  });
  const planes = remembered(async (size: Size, ground: number) => {
    const { raster, isClear } = await decoded(size);
    return planesOf(raster, isClear ? ground : null);
  });
  return {
    width: image.width,
    height: image.height,
    planes,
    hasTransparency: async (size) => (await decoded(size)).isClear,
  };
}

function remembered<T>(make: (size: Size, ground: number) => Promise<T>) {
  const made = new Map<string, Promise<T>>();
  return (size: Size, ground = 0): Promise<T> => {
    const key = `${size.width} ${size.height} ${ground}`;
    const found = made.get(key) ?? make(size, ground);
    made.set(key, found);
    if (made.size > sizesMax) made.delete(made.keys().next().value as string);
    return found;
  };
}
