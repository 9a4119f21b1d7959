/**
 * The pins of what a viewer shows at the moment: the frame of a video, the page of a PDF, the width of an
 * HTML page. All of them lie in a template, which is not drawn.
 */
import { widthsChanged } from "../media/page-widths.js";
import { element } from "./drawing.js";
import { sheetSurface, surfacesOf } from "./surfaces.js";

const numberOf = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

const pinsOf = (viewer: HTMLElement): SVGElement[] => [
  ...(viewer
    .querySelector<HTMLTemplateElement>("template[data-pins]")
    ?.content.querySelectorAll<SVGElement>("g.mark") ?? []),
];

const copyOf = (pin: SVGElement): Node => pin.cloneNode(true);
const isPath = (pin: SVGElement): boolean => pin.parentElement?.matches(".paths") ?? false;

/** Replaces the pins over a picture, unless they are there already. */
function draw(host: HTMLElement, pins: SVGElement[]): void {
  let layer = host.querySelector<SVGElement>(":scope > .pins");
  if (!layer) host.prepend((layer = element("svg", { class: "overlay pins", "aria-hidden": "true" })));
  const shown = pins.map((pin) => `${pin.dataset.n} ${pin.getAttribute("class")}`).join();
  if (layer.dataset.shown === shown) return;
  layer.dataset.shown = shown;
  const [paths, others] = [pins.filter(isPath), pins.filter((pin) => !isPath(pin))];
  const stretched = paths[0]?.parentNode?.cloneNode(false) as SVGElement | undefined;
  stretched?.append(...paths.map(copyOf));
  layer.replaceChildren(...(stretched ? [stretched] : []), ...others.map(copyOf));
}

/** While a video plays, a pin stays long enough to be seen. */
const [aroundSeconds, lingerSeconds] = [0.06, 0.6];

function isAt(video: HTMLVideoElement, { dataset }: SVGElement): boolean {
  const from = numberOf(dataset.from);
  if (from === undefined) return true;
  const after = video.paused ? aroundSeconds : lingerSeconds;
  const now = video.currentTime;
  return now >= from / 1000 - aroundSeconds && now <= (numberOf(dataset.to) ?? from) / 1000 + after;
}

export function drawPins(viewer: HTMLElement): void {
  const pins = pinsOf(viewer);
  const video = viewer.querySelector("video");
  for (const { host } of surfacesOf(viewer)) {
    const frame = host.querySelector("iframe");
    if (video)
      draw(
        host,
        pins.filter((pin) => isAt(video, pin)),
      );
    else if (frame)
      draw(
        host,
        pins.filter(({ dataset }) => (numberOf(dataset.width) ?? frame.clientWidth) === frame.clientWidth),
      );
    else if (host.dataset.page)
      draw(
        host,
        pins.filter(({ dataset }) => (dataset.page ?? "1") === host.dataset.page),
      );
  }
}

/** Keeps the pins of a viewer up to date. */
export function followPins(viewer: HTMLElement): void {
  const video = viewer.querySelector("video");
  const frame = viewer.querySelector("iframe");
  const update = () => drawPins(viewer);
  for (const kind of ["timeupdate", "seeked", "loadedmetadata", "pause"] as const)
    video?.addEventListener(kind, update);
  if (frame && viewer.dataset.kind === "html") new ResizeObserver(update).observe(frame);
  viewer.addEventListener(widthsChanged, update);
  viewer.addEventListener("sheet-drawn", ({ target }) => {
    const { host } = sheetSurface(target as HTMLElement);
    draw(
      host,
      pinsOf(viewer).filter(({ dataset }) => (dataset.page ?? "1") === host.dataset.page),
    );
  });
  if (viewer.dataset.kind !== "image") update();
}
