/** What is printed: arrivals of a day, how high water is predicted, a month of the log book. */
import { seededRandom } from "../../support/random.ts";
import { Page, pdf } from "./pdf.ts";
import { gauges } from "./tables.ts";
import { levelAt } from "./tide.ts";

const blue: [number, number, number] = [0.1, 0.42, 0.55];
const pale: [number, number, number] = [0.93, 0.96, 0.97];
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
  "Zilvermeeuw",
  "Morgenster",
  "Antje",
  "Calypso",
];

interface Table {
  columns: [x: number, title: string][];
  rows: string[][];
}

function drawTable(page: Page, { columns, rows }: Table, top: number, step: number): void {
  for (const [x, title] of columns) page.text(x, top, title, { size: 8, grey: 0.45 });
  for (const [index, row] of rows.entries()) {
    const y = top + 8 + index * step;
    if (index % 2 === 0) page.box(40, y, 515, step, pale);
    for (const [place, words] of row.entries())
      page.text((columns[place] as [number, string])[0], y + step * 0.68, words, {
        size: Math.min(10, step * 0.6),
        bold: place === 1,
      });
  }
}

/** 42 arrivals: the first loses those at the bottom of its one page, the second goes on overleaf. */
export function arrivals(version: 1 | 2): Uint8Array {
  const random = seededRandom(21);
  const all = Array.from({ length: 42 }, (_, index) => {
    const minutes = 9 * 60 + index * 15;
    const time = `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
    const boat = `${boats[index % boats.length]}${index >= boats.length ? ` ${["II", "III"][Math.floor(index / boats.length) - 1]}` : ""}`;
    return [
      time,
      boat,
      `${(7 + random.next() * 7).toFixed(1)} m`,
      `${(1 + random.next()).toFixed(1)} m`,
      `${random.pick([..."ABCDE"])} ${random.between(1, 18)}`,
      random.chance(0.7) ? "paid" : "pays here",
    ];
  });
  const columns = ([40, 100, 270, 340, 410, 480] as const).map((x, index): [number, string] => [
    x + 8,
    ["Time", "Boat", "Length", "Draught", "Berth", "Payment"][index] as string,
  ]);
  const sheet = (number: string, rows: string[][], step: number) => {
    const page = new Page()
      .text(40, 60, "Arrivals", { size: 24, bold: true })
      .text(150, 60, "Veere, Thursday 5 March 2026", { size: 12, grey: 0.4 });
    page.text(
      40,
      82,
      `42 boats, ${all.filter((row) => row[5] !== "paid").length} pay at the desk. High water 14:31 and 02:56.`,
      {
        grey: 0.4,
      },
    );
    drawTable(page, { columns, rows }, 108, step);
    return page.text(500, 815, number, { size: 9, grey: 0.5 });
  };
  if (version === 1) return pdf("Arrivals", [sheet("", all, 18)]);
  return pdf("Arrivals", [
    sheet("page 1 of 2", all.slice(0, 30), 22),
    sheet("page 2 of 2", all.slice(30), 22),
  ]);
}

export function harmonics(): Uint8Array {
  const write = (page: Page, top: number, lines: string[]) => {
    for (const [index, line] of lines.entries()) page.text(56, top + index * 16, line, { size: 11 });
  };
  const one = new Page()
    .text(56, 84, "How high water is predicted", { size: 24, bold: true })
    .text(56, 108, "silt, a note on the method", { size: 11, grey: 0.45 });
  write(one, 144, [
    "The level at a gauge is a sum of waves whose periods follow from the moon and the sun. Their",
    "heights and their delays differ from gauge to gauge and are fitted to a year of readings.",
    "Seven days ahead the sum is right to within nine minutes and eight centimetres, storms aside.",
  ]);
  const plot = (
    page: Page,
    top: number,
    level: (hour: number) => number,
    name: string,
    colour: [number, number, number],
  ) => {
    page.line(56, top + 60, 539, top + 60).text(56, top - 4, name, { size: 9, grey: 0.4 });
    page.path(
      Array.from({ length: 169 }, (_, at) => [56 + (at / 168) * 483, top + 60 - level(at / 3.5) * 28]),
      colour,
    );
  };
  plot(
    one,
    230,
    (hour) => 1.55 * Math.cos((2 * Math.PI * (hour - 2.2)) / 12.42),
    "M2, the moon, every 12 h 25 min",
    blue,
  );
  plot(
    one,
    380,
    (hour) => 0.32 * Math.cos((2 * Math.PI * (hour - 5)) / 12),
    "S2, the sun, every 12 h",
    [0.8, 0.5, 0.15],
  );
  plot(
    one,
    530,
    levelAt,
    "Their sum with the shallow water tide M4: what the gauge shows",
    [0.12, 0.2, 0.25],
  );
  const two = new Page().text(56, 84, "Constants of the eleven gauges", { size: 18, bold: true });
  const random = seededRandom(8);
  const columns = ([40, 190, 260, 330, 400, 470] as const).map((x, index): [number, string] => [
    x + 8,
    ["Gauge", "M2 (m)", "M2 (deg)", "S2 (m)", "S2 (deg)", "error (min)"][index] as string,
  ]);
  const number = (low: number, high: number, digits: number) =>
    (low + random.next() * (high - low)).toFixed(digits);
  drawTable(
    two,
    {
      columns,
      rows: gauges.map((name) => [
        name,
        number(1.1, 1.9, 2),
        number(40, 120, 0),
        number(0.25, 0.5, 2),
        number(90, 170, 0),
        number(3, 9, 0),
      ]),
    },
    120,
    24,
  );
  write(two, 440, [
    "Three gauges count their angles from another epoch. They are turned before they are summed:",
    "without that their predictions are off by forty minutes.",
  ]);
  return pdf("How high water is predicted", [one, two]);
}

/** The second names the engine hours, which the authorities ask for first. */
export function logBook(version: 1 | 2): Uint8Array {
  const random = seededRandom(17);
  const names = ["Date", "From and to", "Miles", "Wind", "Crew", ...(version === 2 ? ["Engine"] : [])];
  const columns = [40, 110, 290, 350, 420, 480]
    .slice(0, names.length)
    .map((x, index): [number, string] => [x + 8, names[index] as string]);
  const places = ["Veere", "Hoek", "Roompot", "Stavenisse", "Vlissingen", "Goes"];
  let [from, engine] = [0, 412.4];
  const rows = Array.from({ length: 26 }, (_, index) => {
    const to = (from + random.between(1, 5)) % places.length;
    const hours = Math.round(random.next() * 34) / 10;
    engine += hours;
    const row = [
      `${String(index + 2).padStart(2, "0")}.03.2026`,
      `${places[from]} - ${places[to]}`,
      `${random.between(6, 38)} nm`,
      `${random.pick(["NW", "W", "SW", "S"])} ${random.between(2, 6)}`,
      String(random.between(2, 4)),
    ];
    from = to;
    return version === 2 ? [...row, `${hours.toFixed(1)} h`] : row;
  });
  const page = (title: string, part: string[][], number: string) => {
    const sheet = new Page()
      .text(40, 60, title, { size: 22, bold: true })
      .text(40, 82, "Sailing yacht Zeevogel, 11.2 m, home port Veere", { grey: 0.4 });
    const top = version === 2 ? 150 : 116;
    if (version === 2)
      sheet
        .box(40, 96, 515, 30, [0.1, 0.2, 0.25])
        .text(52, 115, `Engine hours at the end of the month: ${engine.toFixed(1)}`, {
          size: 12,
          bold: true,
          grey: 1,
        });
    drawTable(sheet, { columns, rows: part }, top, 24);
    return sheet
      .line(40, 780, 240, 780, 0.3)
      .text(40, 794, "Signature of the skipper", { size: 8, grey: 0.45 })
      .text(500, 815, number, { size: 9, grey: 0.5 });
  };
  return pdf("Log book, March 2026", [
    page("Log book, March 2026", rows.slice(0, 20), "page 1 of 2"),
    page("Log book, March 2026", rows.slice(20), "page 2 of 2"),
  ]);
}
