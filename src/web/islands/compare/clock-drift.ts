/** Keeps two media files at one time: small drift by the speed of one, larger drift by a seek. */

/** Below this a viewer sees no jump if it is caught up by speed, by our judgment. */
const seekSeconds = 0.3;
/** The most that the speed changes: pitch and motion stay natural. */
const rateMax = 0.1;
/** How fast drift is caught up: half of it in a second. */
const perSecond = 0.5;

/** What brings one that is behind by `drift` seconds (ahead, if negative) to the other. */
export type Correction = { seek: true } | { seek: false; rate: number };

/** @param frame seconds between frames: less cannot be seen */
export function correctionOf(drift: number, frame: number): Correction {
  if (Math.abs(drift) > seekSeconds) return { seek: true };
  if (Math.abs(drift) <= frame) return { seek: false, rate: 1 };
  return { seek: false, rate: 1 + Math.max(-rateMax, Math.min(rateMax, drift * perSecond)) };
}
