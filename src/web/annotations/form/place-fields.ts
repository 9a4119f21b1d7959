/**
 * The fields of a form that name a place, as people write them: percents, times such as `0:12.400`. Scripts
 * fill in the same fields when a place is drawn.
 */

import { badRequest } from "../../../core/problem.ts";
import { type Target, unit } from "../../../files/probe/marks/schema.ts";
import type { Form } from "../../view.ts";

export const placeFields = [
  ...["x", "y", "w", "h", "points", "from", "to", "frame", "fps", "page", "file"],
  ...["viewport_w", "viewport_h", "quote", "prefix", "suffix", "line_from", "line_to"],
] as const;

export const isPlaceField = (name: string): boolean => placeFields.some((field) => field === name);

const area = ["x", "y", "w", "h"];

/** @returns null for a form without a place: it is about the whole asset. @throws Problem 400 */
export function targetOf(form: Form): Target | null {
  const target: Record<string, unknown> = {
    ...shapeOf(form),
    ...defined({
      t_ms: timeOf(form, "from"),
      t_end_ms: timeOf(form, "to"),
      frame: integerOf(form, "frame"),
      fps: form.get("fps"),
      page: integerOf(form, "page"),
      file: form.get("file"),
    }),
  };
  const [width, height] = [integerOf(form, "viewport_w"), integerOf(form, "viewport_h")];
  if (width !== undefined) target.viewport = { w: width, h: height ?? width };
  const exact = form.get("quote")?.trim();
  if (exact) target.quote = { exact, ...defined({ prefix: form.get("prefix"), suffix: form.get("suffix") }) };
  const [first, last] = [integerOf(form, "line_from"), integerOf(form, "line_to")];
  if (first !== undefined) target.lines = { from: first, to: last ?? first };
  return Object.keys(target).length === 0 ? null : (target as Target);
}

const defined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));

function shapeOf(form: Form): Target {
  const points = form.get("points")?.trim();
  if (points)
    return { shape: "path", points: points.split(/\s+/).map((pair) => pair.split(",").map(coordinate)) };
  const [x, y, w, h] = area.map((name) => form.get(name)?.trim() || undefined);
  if (x === undefined && y === undefined) return {};
  if (x === undefined || y === undefined) throw badRequest("Give both x and y, in percent.");
  const corner = { x: coordinate(x), y: coordinate(y) };
  if (w === undefined || h === undefined) return { shape: "point", ...corner };
  return { shape: "rect", ...corner, w: coordinate(w), h: coordinate(h) };
}

/** `18.5` % is 1850. */
function coordinate(text: string): number {
  const value = Math.round(Number(text) * (unit / 100));
  if (text.trim() === "" || !(value >= 0 && value <= unit))
    throw badRequest(`Give a place in percent, from 0 to 100: ${JSON.stringify(text)} is none.`);
  return value;
}

function integerOf(form: Form, name: string): number | undefined {
  const text = form.get(name)?.trim();
  if (!text) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`${name} must be a whole number.`);
  return Number(text);
}

function timeOf(form: Form, name: string): number | undefined {
  const text = form.get(name)?.trim();
  if (!text) return undefined;
  const match = /^(?:(\d+):)?(?:(\d+):)?(\d+(?:\.\d+)?)$/.exec(text);
  if (!match) throw badRequest(`Write a time as minutes and seconds, such as 0:12.400, not ${text}.`);
  const [, first, second, seconds] = match;
  const minutes = second === undefined ? Number(first ?? 0) : Number(first) * 60 + Number(second);
  return Math.round((minutes * 60 + Number(seconds)) * 1000);
}
