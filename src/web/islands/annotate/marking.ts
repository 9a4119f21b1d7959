/** The mark mode of a viewer: layers to draw on, its buttons and keys, and what is drawn in the form. */
import { widthsChanged } from "../media/page-widths.js";
import { formatTime } from "../media/play-time.js";
import { isForElsewhere } from "../page/keys.js";
import { compose } from "./annotation-forms.js";
import { boxOf, DrawingLayer, type Drawn } from "./drawing.js";
import { quoteFields } from "./quotes.js";
import { type Surface, sheetSurface, surfacesOf, timeFields } from "./surfaces.js";

const viewer = document.querySelector<HTMLElement>("[data-viewer]:has(> [data-mark-bar])");
const bar = viewer?.querySelector<HTMLElement>("[data-mark-bar]");
const player = viewer?.querySelector<HTMLMediaElement>("video, audio");
const button = (act: string) => bar?.querySelector<HTMLButtonElement>(`[data-act="${act}"]`);
const weights = ["must", "should", "nit"];
let layers: DrawingLayer[] = [];
let tool: DrawingLayer["tool"] = "box";
let rangeStart: string | undefined;
/** Of the next annotation; undefined for the one that the form has. */
let weight: string | undefined;

const say = (text: string): void => {
  const status = bar?.querySelector("[data-mark-status]");
  if (status) status.textContent = text;
};

/** Percent with two decimals, as the form has them. */
const shareOf = (value: number): string => String(value / 100);

function fieldsOf({ shape, points }: Drawn): Record<string, string> {
  if (shape === "path") return { points: points.map((point) => point.map(shareOf).join()).join(" ") };
  const { x, y, w, h } = boxOf(points);
  const corner = { x: shareOf(x), y: shareOf(y) };
  return shape === "rect" ? { ...corner, w: shareOf(w), h: shareOf(h) } : corner;
}

function addLayer({ host, fields }: Surface): void {
  const layer: DrawingLayer = new DrawingLayer({
    onDrawn(drawn) {
      for (const other of layers) if (other !== layer) other.clear();
      open({ ...fields(), ...fieldsOf(drawn) }, layer.drawnRect(), layer);
    },
    onMoved: say,
    onCancel: () => setMarking(false),
  });
  layer.tool = tool;
  host.append(layer.svg);
  layers.push(layer);
}

/** Opens the form at a place; when it closes, the next place can be marked. */
function open(fields: Record<string, string>, beside: DOMRect | undefined, layer?: DrawingLayer): void {
  const range = rangeStart === undefined ? {} : { from: rangeStart, to: fields.from ?? "" };
  setRangeStart(undefined);
  compose({ place: { ...fields, ...range }, beside, weight }, () => {
    setWeight(undefined);
    layer?.clear();
    (layer?.svg ?? button("time") ?? button("quote"))?.focus({ preventScroll: true });
  });
}

const isMarking = (): boolean => viewer?.classList.contains("marking") ?? false;

function setMarking(isOn: boolean): void {
  viewer?.classList.toggle("marking", isOn);
  button("mark")?.setAttribute("aria-pressed", String(isOn));
  const tools = bar?.querySelector<HTMLElement>("[data-tools]");
  if (tools) tools.hidden = !isOn;
  for (const { svg } of layers) svg.remove();
  layers = [];
  if (!isOn || !viewer) {
    button("mark")?.focus({ preventScroll: true });
    return;
  }
  if (player instanceof HTMLVideoElement) player.pause();
  for (const surface of surfacesOf(viewer)) addLayer(surface);
  const inView = layers.find(({ svg }) => isInView(svg));
  if (!inView) viewer.scrollIntoView({ block: "nearest" });
  (inView ?? layers[0])?.svg.focus({ preventScroll: true });
}

function isInView(svg: SVGElement): boolean {
  const { top, bottom } = svg.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function setTool(to: DrawingLayer["tool"]): void {
  tool = to;
  for (const layer of layers) {
    layer.tool = to;
    layer.clear();
  }
  for (const name of ["box", "path"]) button(name)?.setAttribute("aria-pressed", String(name === to));
  const finish = button("finish");
  if (finish) finish.hidden = to !== "path";
}

function setRangeStart(at: string | undefined): void {
  rangeStart = at;
  button("start")?.setAttribute("aria-pressed", String(at !== undefined));
}

function setWeight(to: string | undefined): void {
  weight = to;
  for (const name of weights) button(name)?.setAttribute("aria-pressed", String(name === to));
}

function quote(): void {
  const fields = viewer && quoteFields(viewer);
  if (fields) open(fields, getSelection()?.getRangeAt(0).getBoundingClientRect());
}

/** The playhead of the track, or the player itself. */
const playheadRect = (): DOMRect | undefined =>
  (viewer?.querySelector(".playhead") ?? player)?.getBoundingClientRect();

const works: Record<string, () => void> = {
  mark: () => setMarking(!isMarking()),
  box: () => setTool("box"),
  path: () => setTool("path"),
  finish: () => layers.find(({ svg }) => isInView(svg))?.finishPath(),
  time: () => player && open(timeFields(player), playheadRect()),
  start() {
    if (!player) return;
    setRangeStart(formatTime(player.currentTime));
    say(`Range starts at ${rangeStart}`);
  },
  end: () => player && open({ from: formatTime(player.currentTime) }, playheadRect()),
  quote,
  ...Object.fromEntries(weights.map((name) => [name, () => setWeight(name)])),
};

const keys: Record<string, string> = { m: "mark", t: "time", "[": "start", "]": "end", q: "quote" };
/** While places are marked; at other times these keys show one version or both. */
const markingKeys = Object.fromEntries(weights.map((name, index) => [`${index + 1}`, name]));

if (viewer && bar && document.querySelector("[data-annotate]")) {
  bar.hidden = false;
  for (const pressed of bar.querySelectorAll<HTMLButtonElement>("[data-act]")) {
    // A press on the button must not clear the selection that it quotes.
    pressed.addEventListener(
      "pointerdown",
      (event) => pressed.dataset.act === "quote" && event.preventDefault(),
    );
    pressed.addEventListener("click", () => works[pressed.dataset.act ?? ""]?.());
  }
  document.addEventListener(
    "keydown",
    (event) => {
      const act = keys[event.key.toLowerCase()] ?? (isMarking() ? markingKeys[event.key] : undefined);
      if (!act || isForElsewhere(event) || !button(act)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      works[act]?.();
    },
    { capture: true },
  );
  document.addEventListener("selectionchange", () => {
    const quoting = button("quote");
    if (quoting) quoting.disabled = quoteFields(viewer) === null;
  });
  viewer.addEventListener(widthsChanged, () => {
    if (isMarking()) setMarking(true);
  });
  viewer.addEventListener("sheet-drawn", ({ target }) => {
    if (isMarking()) addLayer(sheetSurface(target as HTMLElement));
  });
}
