/**
 * Shows the two images of a comparison at equal scale. Images of one shape get one size: the larger one may
 * have been made at twice the resolution. Others keep their pixels and share the upper left corner, as
 * screenshots of a page that grew do.
 */
import { equalSizes, haveOneShape, type Size } from "./sizes.js";

/** Share of the window's height that an image may take where the page scrolls, as in the style sheet. */
const heightMax = 0.6;
/** Where the style sheet gives the stage what the window has left. */
const isWhole = matchMedia("(min-width: 64rem) and (min-height: 37rem)");

const stages = [
  ...document.querySelectorAll<HTMLElement>("[data-compared] [data-zoom], [data-compared][data-zoom]"),
];
const images = stages.flatMap((stage) => [...stage.querySelectorAll("img")]);

/** Both images cover this box, in px; null before they are loaded. */
export function sharedBox(): Size | null {
  const [one, other] = images;
  if (!one?.naturalWidth || !other?.naturalWidth) return null;
  return {
    width: Math.max(one.clientWidth, other.clientWidth),
    height: Math.max(one.clientHeight, other.clientHeight),
  };
}

const naturalSize = ({ naturalWidth, naturalHeight }: HTMLImageElement): Size => ({
  width: naturalWidth,
  height: naturalHeight,
});

function fit(): void {
  const [one, other] = images;
  if (!one?.naturalWidth || !other?.naturalWidth) return;
  const room = {
    width: Math.min(...stages.map((stage) => stage.clientWidth)),
    height: isWhole.matches
      ? Math.min(...stages.map((stage) => stage.clientHeight))
      : innerHeight * heightMax,
  };
  const [sizeOfOne, sizeOfOther] = equalSizes(naturalSize(one), naturalSize(other), room);
  for (const [image, { width, height }] of [
    [one, sizeOfOne],
    [other, sizeOfOther],
  ] as const)
    Object.assign(image.style, { width: `${width}px`, height: `${height}px` });
  const isCornered = !haveOneShape(naturalSize(one), naturalSize(other));
  const [first] = stages as [HTMLElement];
  for (const stage of stages) {
    stage.classList.toggle("cornered", isCornered);
    const origin = { x: first.clientWidth / 2, y: first.clientHeight / 2 };
    stage.style.setProperty("--origin-x", isCornered ? `${origin.x}px` : "50%");
    stage.style.setProperty("--origin-y", isCornered ? `${origin.y}px` : "50%");
    const box = stage.querySelector<HTMLElement>(".changes-box");
    const shared = sharedBox();
    if (box && shared) Object.assign(box.style, { width: `${shared.width}px`, height: `${shared.height}px` });
  }
}

if (images.length === 2) {
  for (const image of images) image.addEventListener("load", fit);
  addEventListener("resize", fit);
  fit();
}
