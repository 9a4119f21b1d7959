/** When a snooze ends, in the time zone of the visitor. */
import { expect, test } from "bun:test";
import { fromMicros, toMicros } from "../../../src/core/lib/time.ts";
import { snoozeEnd } from "../../../src/overview/inbox/mark.ts";
import type { SnoozeInput } from "../../../src/overview/inbox/schema.ts";

const end = (now: string, length: SnoozeInput["for"], zone = "UTC") =>
  fromMicros(snoozeEnd(toMicros(now), length, zone)).slice(0, 16);

test.each([
  ["2026-03-04T22:10:00Z", "hour", "UTC", "2026-03-04T23:10"],
  ["2026-03-04T22:10:00Z", "tomorrow", "UTC", "2026-03-05T09:00"],
  // It is Thursday in Tokyo already.
  ["2026-03-04T22:10:00Z", "tomorrow", "Asia/Tokyo", "2026-03-06T00:00"],
  // The clocks go forward in the night.
  ["2026-03-28T12:00:00Z", "tomorrow", "Europe/Lisbon", "2026-03-29T08:00"],
  ["2026-03-04T22:10:00Z", "next_week", "UTC", "2026-03-09T09:00"],
  ["2026-03-09T08:00:00Z", "next_week", "UTC", "2026-03-16T09:00"],
  ["2026-03-08T23:00:00Z", "next_week", "UTC", "2026-03-09T09:00"],
] as const)("%s, %s in %s: until %s", (now, length, zone, expected) => {
  expect(end(now, length, zone)).toBe(expected);
});
