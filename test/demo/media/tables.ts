/** Samples as data: a booking, a track, one day of every gauge, depths by berth. */
import { seededRandom } from "../../support/random.ts";
import { parquet } from "./parquet.ts";
import { levelAt } from "./tide.ts";

const day = Date.UTC(2026, 2, 5);
const round = (value: number, digits: number) => Number(value.toFixed(digits));

export function clubBooking(): string {
  const boats = [
    "Zeevogel",
    "Marie Galante",
    "Noorderlicht",
    "Albatros II",
    "Windroos",
    "Stern",
    "De Goede Hoop",
    "Vrijheid",
    "Argo",
    "Kiekendief",
  ];
  const random = seededRandom(5);
  const lines = boats.map(
    (boat, index) =>
      `${index + 1},${boat},${round(7 + random.next() * 6, 1)},${round(2.6 + random.next() * 1.4, 1)},2026-05-14,2026-05-17,B ${index + 3}`,
  );
  return ["number,boat,length_m,width_m,arrives,leaves,berth", ...lines, ""].join("\r\n");
}

export function sampleTrack(): string {
  const random = seededRandom(9);
  let [latitude, longitude] = [51.5489, 3.6551];
  const points = Array.from({ length: 900 }, (_, at) => {
    const course = 5.2 + 0.5 * Math.sin(at / 40) + (random.next() - 0.5) * 0.1;
    latitude += 0.00032 * Math.cos(course);
    longitude += 0.00052 * Math.sin(course);
    const time = new Date(day + 7.5 * 3_600_000 + at * 20_000).toISOString().replace(".000", "");
    return `      <trkpt lat="${latitude.toFixed(5)}" lon="${longitude.toFixed(5)}"><time>${time}</time></trkpt>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Tern" xmlns="http://www.topografix.com/GPX/1/1">
  <trk>
    <name>Veere to Hoek</name>
    <trkseg>
${points.join("\n")}
    </trkseg>
  </trk>
</gpx>
`;
}

/** Where the water is measured. */
export const gauges = [
  "Veere",
  "Roompot",
  "Vlissingen",
  "Westkapelle",
  "Stavenisse",
  "Hoek",
  "Brouwershavn",
  "Hellevoet",
  "Terneuzen",
  "Hansweert",
  "Cadzand",
];

export function dayOfGauges(): Uint8Array {
  const random = seededRandom(12);
  const rows = gauges.flatMap((gauge, index) =>
    Array.from({ length: 144 }, (_, at) => ({
      gauge,
      at: day + at * 600_000,
      level: round(levelAt(at / 6 - index * 0.35) + (random.next() - 0.5) * 0.04, 3),
    })),
  );
  return parquet([
    { name: "gauge", strings: rows.map(({ gauge }) => gauge) },
    { name: "measured_at", times: rows.map(({ at }) => at) },
    { name: "level_m_nap", doubles: rows.map(({ level }) => level) },
  ]);
}

/** The second version has its source beside each number. */
export function depthsByBerth(version: 1 | 2): Uint8Array {
  const random = seededRandom(13);
  const berths = [..."ABCDE"].flatMap((jetty) =>
    Array.from({ length: 18 }, (_, index) => `${jetty} ${String(index + 1).padStart(2, "0")}`),
  );
  const depths = berths.map(() => round(1.6 + random.next() * 1.8, 2));
  return parquet([
    { name: "berth", strings: berths },
    { name: "depth_at_low_water_m", doubles: depths },
    ...(version === 2
      ? [
          {
            name: "source",
            strings: berths.map((_, index) =>
              index % 7 === 0 ? "lead line, 2026-02-18" : "survey of 2026-02-11",
            ),
          },
        ]
      : []),
  ]);
}
