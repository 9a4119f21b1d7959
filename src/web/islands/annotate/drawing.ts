/**
 * Drawing a place on a picture with a pointer, a finger, or the keyboard. Coordinates are ten-thousandths of
 * the picture.
 */
import { type Point, simplifyPath } from "./simplify-path.js";

export type Shape = "point" | "rect" | "path";
export interface Drawn {
  shape: Shape;
  /** The point, two opposite corners, or the corners of a path. */
  points: Point[];
}

const unit = 10_000;
/** Below this many CSS pixels a press is a point. */
const dragMin = 6;
const svgNamespace = "http://www.w3.org/2000/svg";

const clamp = (value: number): number => Math.min(unit, Math.max(0, Math.round(value)));
const percent = (value: number): string => `${value / 100}%`;

export function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

interface Listener {
  onDrawn(drawn: Drawn): void;
  /** A sentence for screen readers. */
  onMoved(text: string): void;
  onCancel(): void;
}

/** A transparent layer over a picture that a place is drawn on. */
export class DrawingLayer {
  readonly svg = element("svg", {
    class: "overlay drawing",
    tabindex: 0,
    role: "application",
    "aria-label":
      "Mark a place. Arrow keys move the crosshair, Shift and arrow keys draw a box, Enter marks it, " +
      "Escape cancels.",
  });
  tool: "box" | "path" = "box";
  private readonly crosshair = [
    element("line", { y1: 0, y2: "100%" }),
    element("line", { x1: 0, x2: "100%" }),
  ] as const;
  private readonly box = element("rect", { class: "shape" });
  private readonly spot = element("circle", { class: "spot", r: 6 });
  private readonly line = element("polyline", { class: "shape" });
  private cursor: Point = [unit / 2, unit / 2];
  private anchor: Point | undefined;
  private path: Point[] = [];

  constructor(private readonly listener: Listener) {
    const stretched = element("svg", {
      viewBox: `0 0 ${unit} ${unit}`,
      preserveAspectRatio: "none",
      width: "100%",
      height: "100%",
    });
    stretched.append(this.line);
    const lines = element("g", { class: "crosshair" });
    lines.append(...this.crosshair);
    this.svg.append(lines, this.box, stretched, this.spot);
    this.svg.addEventListener("pointerdown", (event) => this.press(event as PointerEvent));
    this.svg.addEventListener("keydown", (event) => this.key(event as KeyboardEvent));
    this.clear();
  }

  clear(): void {
    this.anchor = undefined;
    this.path = [];
    this.show(null);
  }

  /** Ends a path that was set point by point. */
  finishPath(): void {
    if (this.path.length > 1) this.done({ shape: "path", points: simplifyPath(this.path) });
  }

  /** What is drawn, in the window. */
  drawnRect(): DOMRect | undefined {
    return [this.box, this.line, this.spot]
      .find((part) => part.getAttribute("visibility") === "visible")
      ?.getBoundingClientRect();
  }

  private place({ clientX, clientY }: PointerEvent): Point {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    return [clamp(((clientX - left) / width) * unit), clamp(((clientY - top) / height) * unit)];
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.svg.focus({ preventScroll: true });
    this.svg.setPointerCapture(event.pointerId);
    const start = this.place(event);
    const [startX, startY] = [event.clientX, event.clientY];
    const stroke: Point[] = [start];
    let isDrag = false;
    this.svg.onpointermove = (moved) => {
      isDrag ||= Math.hypot(moved.clientX - startX, moved.clientY - startY) >= dragMin;
      if (!isDrag) return;
      const at = this.place(moved);
      stroke.push(at);
      this.show(
        this.tool === "path" ? { shape: "path", points: stroke } : { shape: "rect", points: [start, at] },
      );
    };
    const stop = () => {
      this.svg.onpointermove = this.svg.onpointerup = this.svg.onpointercancel = null;
    };
    this.svg.onpointercancel = () => {
      stop();
      this.clear();
    };
    this.svg.onpointerup = (up) => {
      stop();
      this.cursor = this.place(up);
      if (!isDrag) this.set(start);
      else if (this.tool === "path") this.done({ shape: "path", points: simplifyPath(stroke) });
      else this.done({ shape: "rect", points: [start, this.cursor] });
    };
  }

  /** A click or Enter: a point, a box that was sized, or the next corner of a path. */
  private set(at: Point): void {
    if (this.tool === "box") {
      if (this.anchor) this.done({ shape: "rect", points: [this.anchor, at] });
      else this.done({ shape: "point", points: [at] });
      return;
    }
    const last = this.path.at(-1);
    if (last && last[0] === at[0] && last[1] === at[1]) this.finishPath();
    else this.addCorner(at);
  }

  private addCorner(at: Point): void {
    this.path.push(at);
    this.show({ shape: "path", points: this.path });
    this.listener.onMoved(`Corner ${this.path.length} set`);
  }

  private key(event: KeyboardEvent): void {
    const arrows: Record<string, Point> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const arrow = arrows[event.key];
    if (!arrow && event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") this.set(this.cursor);
    else if (arrow) this.move(arrow, event.ctrlKey ? unit / 1000 : unit / 100, event.shiftKey);
    else this.cancel();
  }

  private move([right, down]: Point, step: number, isBox: boolean): void {
    const [x, y] = this.cursor;
    this.anchor = isBox && this.tool === "box" ? (this.anchor ?? [x, y]) : undefined;
    this.cursor = [clamp(x + right * step), clamp(y + down * step)];
    const place = `x ${this.cursor[0] / 100} %, y ${this.cursor[1] / 100} %`;
    if (this.anchor) this.show({ shape: "rect", points: [this.anchor, this.cursor] });
    else if (this.path.length > 0) this.show({ shape: "path", points: [...this.path, this.cursor] });
    else this.show(null);
    this.showCrosshair();
    this.listener.onMoved(this.anchor ? `Box to ${place}` : place);
  }

  private cancel(): void {
    if (!this.anchor && this.path.length === 0) this.listener.onCancel();
    this.clear();
  }

  private done(drawn: Drawn): void {
    this.anchor = undefined;
    this.path = [];
    this.show(drawn);
    this.listener.onDrawn(drawn);
  }

  private showCrosshair(): void {
    const [vertical, horizontal] = this.crosshair;
    for (const end of ["x1", "x2"]) vertical.setAttribute(end, percent(this.cursor[0]));
    for (const end of ["y1", "y2"]) horizontal.setAttribute(end, percent(this.cursor[1]));
  }

  private show(drawn: Drawn | null): void {
    this.showCrosshair();
    const { shape, points = [] } = drawn ?? {};
    for (const [part, isShown] of [
      [this.box, shape === "rect"],
      [this.line, shape === "path"],
      [this.spot, shape === "point"],
    ] as const)
      part.setAttribute("visibility", isShown ? "visible" : "hidden");
    const [first] = points;
    if (shape === "rect") {
      const { x, y, w, h } = boxOf(points);
      for (const [name, value] of Object.entries({ x, y, width: w, height: h }))
        this.box.setAttribute(name, percent(value));
    } else if (shape === "path") this.line.setAttribute("points", points.join(" "));
    else if (first) {
      this.spot.setAttribute("cx", percent(first[0]));
      this.spot.setAttribute("cy", percent(first[1]));
    }
  }
}

export function boxOf(points: Point[]): { x: number; y: number; w: number; h: number } {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y };
}
