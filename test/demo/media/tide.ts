/** A tide that could be Veere's: two constituents, hours on one side, metres on the other. */
export const levelAt = (hour: number): number =>
  1.55 * Math.cos((2 * Math.PI * (hour - 2.2)) / 12.42) +
  0.32 * Math.cos((2 * Math.PI * (hour - 5)) / 12) +
  0.1 * Math.sin((2 * Math.PI * hour) / 6.2);

export const pathOf = (points: [number, number][]): string =>
  points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
