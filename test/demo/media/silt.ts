/** Charts of the data pipeline. */
import { seededRandom } from "../../support/random.ts";
import type { Sheet } from "./paint.ts";
import { levelAt, pathOf } from "./tide.ts";

const ink = "#1d2b33";
const soft = "#64757e";
const [left, top, wide, high] = [96, 150, 1236, 440];

interface Chart {
  title: string;
  says: string;
  /** Lowest and highest value, step between lines. */
  axis: [number, number, number];
  unit: string;
  ticks: [number, string][];
  marks(x: (part: number) => number, y: (value: number) => number): string;
}

function chart({ title, says, axis: [low, top_, step], unit, ticks, marks }: Chart): Sheet {
  const x = (part: number) => left + part * wide;
  const y = (value: number) => top + high - ((value - low) / (top_ - low)) * high;
  const lines = Array.from({ length: Math.round((top_ - low) / step) + 1 }, (_, index) => {
    const value = low + index * step;
    const digits = step < 0.1 ? 2 : 1;
    return `<path d="M${left} ${y(value)}h${wide}" stroke="${Math.abs(value) < 1e-9 ? "#8d9ba2" : "#e1e6e8"}" stroke-width="${Math.abs(value) < 1e-9 ? 2 : 1}"/>
      <text x="${left - 14}" y="${y(value) + 6}" text-anchor="end">${value.toFixed(digits)}</text>`;
  });
  const below = ticks.map(
    ([part, text]) => `<text x="${x(part)}" y="${top + high + 36}" text-anchor="middle">${text}</text>`,
  );
  return {
    ...{ width: 1400, height: 700 },
    html: `<body style="background:#fff"><svg width="1400" height="700" font-size="18" fill="${soft}">
      <text x="40" y="62" font-size="32" font-weight="700" fill="${ink}">${title}</text><text x="40" y="98" font-size="20">${says}</text>
      <text x="${left - 14}" y="${top - 18}" text-anchor="end">${unit}</text>${lines.join("")}${below.join("")}${marks(x, y)}</svg></body>`,
  };
}

export function gap(): Sheet {
  const [from, to] = [20, 26];
  const random = seededRandom(3);
  const points = Array.from({ length: 289 }, (_, at) => at / 6).map(
    (hour) => [hour, levelAt(hour) + (random.next() - 0.5) * 0.05] as const,
  );
  return chart({
    title: "Tide curve with a gap",
    says: "Gauge of Veere, silent for six hours: nothing is drawn where nothing was measured",
    ...{ axis: [-2, 2, 0.5], unit: "m NAP" },
    ticks: [0, 6, 12, 18, 24, 30, 36, 42, 48].map((hour) => [
      hour / 48,
      `${String(hour % 24).padStart(2, "0")}:00`,
    ]),
    marks(x, y) {
      const line = (part: typeof points) => pathOf(part.map(([hour, level]) => [x(hour / 48), y(level)]));
      const drawn = [points.filter(([hour]) => hour <= from), points.filter(([hour]) => hour >= to)];
      return `<rect x="${x(from / 48)}" y="${top}" width="${x(to / 48) - x(from / 48)}" height="${high}" fill="#fdf0de"/>
        <text x="${x(23 / 48)}" y="${top + 34}" text-anchor="middle" fill="#8a5a12">no data</text><text x="${x(23 / 48)}" y="${top + 60}" text-anchor="middle" fill="#8a5a12">20:00 to 02:00</text>
        ${drawn.map((part) => `<path d="${line(part)}" fill="none" stroke="#1b7a9c" stroke-width="3.5" stroke-linejoin="round"/>`).join("")}
        ${[from, to].map((hour) => `<circle cx="${x(hour / 48)}" cy="${y(levelAt(hour))}" r="6" fill="#1b7a9c"/>`).join("")}`;
    },
  });
}

/** As it was rejected: the axis begins at three metres. */
export function drift(): Sheet {
  const random = seededRandom(11);
  return chart({
    title: "Drift of the lock",
    says: "Mean level of the lock at Veere against its weekly reference reading, 26 weeks",
    ...{ axis: [3, 3.12, 0.02], unit: "m" },
    ticks: [0, 5, 10, 15, 20, 25].map((week) => [week / 25, `week ${week + 1}`]),
    marks(x, y) {
      const weeks = Array.from(
        { length: 26 },
        (_, week) => 3.018 + week * 0.0034 + (random.next() - 0.5) * 0.008,
      );
      const dots = weeks.map(
        (level, week) => `<circle cx="${x(week / 25)}" cy="${y(level)}" r="6" fill="#b4452f"/>`,
      );
      return `<path d="M${x(0)} ${y(3.018)}H${x(1)}" stroke="#64757e" stroke-width="2.5" stroke-dasharray="9 7"/><text x="${x(1)}" y="${y(3.018) + 28}" text-anchor="end">reference</text>
        <path d="${pathOf(weeks.map((level, week) => [x(week / 25), y(level)]))}" fill="none" stroke="#b4452f" stroke-width="3"/>${dots.join("")}`;
    },
  });
}
