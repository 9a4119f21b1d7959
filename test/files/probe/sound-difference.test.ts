/** Sounds are told apart by what an encoder does not do to them. */
import { expect, test } from "bun:test";
import { compareSounds } from "../../../src/files/probe/likeness/sound-difference.ts";
import { seededRandom } from "../../support/random.ts";

const rate = 8_000;
/** Two seconds of a tone that swells. @param change of each sample, by its time in seconds */
const sound = (change: (level: number, time: number) => number = (level) => level) =>
  Int16Array.from({ length: 2 * rate }, (_, at) => {
    const time = at / rate;
    return change(8_000 * Math.sin(2 * Math.PI * 440 * time) * (0.6 + 0.4 * Math.sin(7 * time)), time);
  });
const random = seededRandom(5);
const noise = (level: number) => random.between(-level, level);

test("a little noise and a delay are an encoder's, and a part in silence, louder, or of another sound is a change", () => {
  const before = sound();
  expect(
    compareSounds(
      before,
      sound((level) => level + noise(200)),
    ),
  ).toBe("unchanged");
  const delayed = new Int16Array(before.length);
  delayed.set(before.subarray(0, -100), 100);
  expect(compareSounds(before, delayed)).toBe("unchanged");
  const inPart = (change: (level: number) => number) =>
    sound((level, time) => (time > 1 && time < 1.3 ? change(level) : level));
  expect(
    compareSounds(
      before,
      inPart(() => 0),
    ),
  ).toBe("changed");
  expect(
    compareSounds(
      before,
      inPart((level) => level * 0.7),
    ),
  ).toBe("changed");
  expect(
    compareSounds(
      before,
      inPart(() => noise(8_000)),
    ),
  ).toBe("changed");
  expect(
    compareSounds(
      before,
      sound((level) => level * 1.3),
    ),
  ).toBe("changed");
  expect(compareSounds(before, before.subarray(0, rate))).toBe("changed");
});

test("noise that an encoder replaced by other noise is not known to be a change", () => {
  const hiss = Int16Array.from({ length: 2 * rate }, () => noise(4_000));
  const replaced = hiss.map((level) => level * 0.92 + noise(1_500));
  expect(compareSounds(hiss, replaced)).toBe("unknown");
});
