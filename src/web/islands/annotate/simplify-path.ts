/** Leaves out the points of a hand-drawn path that lie close to a line between others. */

export type Point = [x: number, y: number];

/** The most corners that an annotation's path may have. */
const pointsMax = 64;
/** In the unit of the points: a five-hundredth of the picture. */
const toleranceMin = 20;

/** Ramer, Douglas and Peucker, with a tolerance that grows until the corners are few enough. */
export function simplifyPath(points: Point[]): Point[] {
  let corners = points;
  for (let tolerance = toleranceMin; corners.length > pointsMax || corners === points; tolerance *= 2)
    corners = reduce(points, tolerance);
  return corners;
}

function reduce(points: Point[], tolerance: number): Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 3) return [...points];
  const distances = points.map((point) => distanceTo(first, last, point));
  const farthest = distances.indexOf(Math.max(...distances));
  if ((distances[farthest] ?? 0) <= tolerance) return [first, last];
  return [
    ...reduce(points.slice(0, farthest + 1), tolerance).slice(0, -1),
    ...reduce(points.slice(farthest), tolerance),
  ];
}

function distanceTo([ax, ay]: Point, [bx, by]: Point, [x, y]: Point): number {
  const length = Math.hypot(bx - ax, by - ay);
  if (length === 0) return Math.hypot(x - ax, y - ay);
  return Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length;
}
