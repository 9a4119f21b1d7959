/** Moves the times of the recorded month so that it ends now, and keeps the team's hours (UTC). */
import { dayMicros, fromMicros, type Micros, minuteMicros, toMicros } from "../../src/core/lib/time.ts";

const hour = 60 * minuteMicros;
/** The end of the recording, which moves to now as it is: an agent is at work. */
const recent = 3 * hour;
/** Before it, each working day moves as a whole, from the evening before to its own. */
const dayStart = -2 * hour;
const dayEnd = 21 * hour;
const workingDays = 20;

/** 2020 to 2027 in microseconds: no other number of the recording is as large. */
const micros = /\b1[67]\d{14}\b/g;
const dates = /\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d\.\d{6}Z)?)?/g;
const dateLength = 10;

/** Replaces every time in the text of a recording, in numbers and in words. */
export function moveTimes(text: string, recordedAt: Micros, now: Micros): string {
  const move = timeline(recordedAt, now);
  const recorded = new Set([
    ...Array.from(text.matchAll(micros), ([time]) => Number(time)),
    ...Array.from(text.matchAll(dates), ([time]) => (time.endsWith("Z") ? toMicros(time) : 0)),
  ]);
  const moved = new Map<Micros, Micros>();
  let last = 0;
  // Times of different events stay different, also where a weekend became an evening.
  for (const time of [...recorded].sort((a, b) => a - b))
    moved.set(time, (last = Math.max(last + 1, move(time))));
  return text
    .replace(micros, (time) => String(moved.get(Number(time))))
    .replace(dates, (time) => {
      if (time.endsWith("Z")) return fromMicros(moved.get(toMicros(time)) as Micros);
      const minute = time.length === dateLength ? `${time}T12:00` : time.replace(" ", "T");
      return fromMicros(move(toMicros(`${minute}:00Z`)))
        .replace("T", time[dateLength] ?? " ")
        .slice(0, time.length);
    });
}

/** A function that never falls: exact within a day, and stretched or squeezed between two. */
function timeline(recordedAt: Micros, now: Micros): (at: Micros) => Micros {
  const [from, to] = [lastWorkingDays(recordedAt - recent), lastWorkingDays(now - recent)];
  const anchors = [
    ...from.flatMap((day, index): [Micros, Micros][] => [
      [day + dayStart, (to[index] as Micros) + dayStart],
      [day + dayEnd, (to[index] as Micros) + dayEnd],
    ]),
    [recordedAt - recent, now - recent] as [Micros, Micros],
  ];
  return (at) => {
    const next = anchors.findIndex(([start]) => start > at);
    const [start, moved] = anchors.at(next === -1 ? -1 : Math.max(0, next - 1)) as [Micros, Micros];
    const [end, movedEnd] = next > 0 ? (anchors[next] as [Micros, Micros]) : [start + 1, moved + 1];
    return moved + Math.floor((at - start) * ((movedEnd - moved) / (end - start)));
  };
}

/** The days whose evening is before a time, oldest first. */
function lastWorkingDays(before: Micros): Micros[] {
  const found: Micros[] = [];
  let day = before - (before % dayMicros);
  if (day + dayEnd + hour > before) day -= dayMicros;
  for (; found.length < workingDays; day -= dayMicros) if (isWorkday(day)) found.unshift(day);
  return found;
}

/** Monday to Friday: 1970 began on a Thursday. */
const isWorkday = (day: Micros): boolean => ((Math.floor(day / dayMicros) + 4) % 7) % 6 !== 0;
