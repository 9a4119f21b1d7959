/** Usual frame rates of videos, in the form that annotations name them in. */
export const usualRates = [
  "24000/1001",
  "24",
  "25",
  "30000/1001",
  "30",
  "48",
  "50",
  "60000/1001",
  "60",
  "120",
];

/** Frames per second of a rate: `25`, or `30000/1001`. */
export function perSecondOf(rate: string): number {
  const [count = "", seconds = "1"] = rate.split("/");
  return Number(count) / Number(seconds);
}
