/** The sample harbor from the water side: a quay, jetties, berths and boats, as SVG. */
import { seededRandom } from "../../support/random.ts";

export interface MapStyle {
  /** How jetties are named: across, where they collide, along the jetty, or not at all. */
  names: "across" | "along" | "none";
  /** Size of names, in units of the drawing. */
  text: number;
  colors: Colors;
}

export interface Colors {
  water: string;
  deep: string;
  land: string;
  jetty: string;
  free: string;
  taken: string;
  soon: string;
  hull: string;
  ink: string;
}

export const day: Colors = {
  ...{
    water: "#cfe6ee",
    deep: "#b9d8e4",
    land: "#e9e3d2",
    jetty: "#a98f6b",
    free: "#2f9e6e",
    taken: "#8fa3ad",
    soon: "#e0912b",
  },
  ...{ hull: "#ffffff", ink: "#17323d" },
};

const jetties = ["Guest jetty A", "Club jetty B", "Long stay C", "Fuel and crane D", "Fishing boats E"];

/** 720 by 520 units. */
export function harborMap({ names, text, colors: c }: MapStyle): string {
  const random = seededRandom(7);
  const parts = [
    `<rect width="720" height="520" fill="${c.water}"/>`,
    `<path d="M0 430 C140 400 240 470 380 440 S620 400 720 450 V520 H0Z" fill="${c.deep}"/>`,
    `<path d="M0 0H720V62C640 74 560 58 470 66S240 58 120 70 40 64 0 72Z" fill="${c.land}"/>`,
    `<path d="M704 60v330q0 40-46 44l-120 8" fill="none" stroke="${c.land}" stroke-width="20" stroke-linecap="round"/>`,
    `<path d="M16 62v300q0 44 44 52" fill="none" stroke="${c.land}" stroke-width="20" stroke-linecap="round"/>`,
  ];
  for (const [index, name] of jetties.entries()) {
    const x = 96 + index * 128;
    const long = 250 + (index % 2) * 46;
    parts.push(`<rect x="${x - 5}" y="60" width="10" height="${long}" rx="2" fill="${c.jetty}"/>`);
    for (let berth = 0; berth * 30 < long - 40; berth++)
      for (const side of [-1, 1]) {
        const y = 92 + berth * 30;
        const state = random.pick(["free", "taken", "taken", "taken", "soon"] as const);
        const left = side < 0 ? x - 47 : x + 7;
        parts.push(
          `<rect x="${left}" y="${y}" width="40" height="24" rx="4" fill="${c[state]}" fill-opacity=".38"/>`,
        );
        parts.push(
          `<rect x="${side < 0 ? x - 10 : x + 7}" y="${y}" width="4" height="24" rx="2" fill="${c[state]}"/>`,
        );
        if (state === "taken") parts.push(boat(x + side * 27, y + 12, side, random.between(13, 17), c));
      }
    const label = `font-size="${text}" font-weight="600" fill="${c.ink}"`;
    if (names === "across") parts.push(`<text x="${x}" y="384" text-anchor="middle" ${label}>${name}</text>`);
    if (names === "along")
      parts.push(
        `<text transform="translate(${x + text * 0.35} ${long + 70}) rotate(90)" ${label} font-size="${text}">${name}</text>`,
      );
  }
  return parts.join("");
}

const boat = (x: number, y: number, side: number, half: number, { hull, ink }: Colors): string =>
  `<g transform="translate(${x} ${y}) scale(${side} 1)"><path d="M${-half} -6Q${half * 0.5} -8 ${half} 0Q${half * 0.5} 8 ${-half} 6Z" fill="${hull}"
   stroke="${ink}" stroke-opacity=".55"/><circle cx="1" r="1.6" fill="${ink}" fill-opacity=".7"/><path d="M1 0H${-half + 2}" stroke="${ink}" stroke-opacity=".6"/></g>`;
