/** Checks the place of an annotation, beyond what its schema says. */
import { badRequest } from "../../core/problem.ts";
import { Target, unit } from "../../files/probe/marks/schema.ts";

const fields = Object.keys(Target.properties) as (keyof Target)[];

/** The fields that a shape needs; it takes no other coordinates. */
const fieldsOfShape = { point: ["x", "y"], rect: ["x", "y", "w", "h"], path: ["points"] } as const;
const coordinates = ["x", "y", "w", "h", "points"] as const;

/**
 * The target with its known fields alone, in a fixed order.
 * @throws {Problem} 400 for a place that cannot exist
 */
export function checkTarget(target: Target): Target {
  const given = fields.filter((field) => target[field] !== undefined);
  if (given.length === 0)
    throw badRequest("target is empty. Name a place, or leave it out for the whole asset.");
  checkShape(target);
  const { t_ms, t_end_ms, frame, fps, lines, quote, viewport } = target;
  if (t_end_ms !== undefined && (t_ms === undefined || t_end_ms <= t_ms))
    throw badRequest("target.t_end_ms must be later than target.t_ms.");
  if ((frame === undefined) !== (fps === undefined))
    throw badRequest("target.frame and target.fps need each other.");
  if (lines && lines.to < lines.from)
    throw badRequest("target.lines.to must not be before target.lines.from.");
  return {
    ...Object.fromEntries(given.map((field) => [field, target[field]])),
    ...(lines && { lines: { from: lines.from, to: lines.to } }),
    ...(viewport && { viewport: { w: viewport.w, h: viewport.h } }),
    ...(quote && { quote: knownParts(quote) }),
  };
}

type Quote = NonNullable<Target["quote"]>;

const knownParts = ({ exact, prefix, suffix }: Quote): Quote => ({
  exact,
  ...(prefix !== undefined && { prefix }),
  ...(suffix !== undefined && { suffix }),
});

function checkShape(target: Target): void {
  const { shape } = target;
  const given = coordinates.filter((field) => target[field] !== undefined);
  const needed: readonly string[] = shape === undefined ? [] : fieldsOfShape[shape];
  if (given.length !== needed.length || given.some((field) => !needed.includes(field)))
    throw badRequest(
      shape === undefined
        ? `target.${given[0]} needs target.shape: point, rect or path.`
        : `A ${shape} has exactly these coordinates: ${needed.join(", ")}.`,
    );
  if (shape !== "rect") return;
  const { x = 0, y = 0, w = 0, h = 0 } = target;
  if (w === 0 || h === 0 || x + w > unit || y + h > unit)
    throw badRequest(`The rect of target must lie within 0 to ${unit} and not be empty.`);
}
