import { expect, test } from "bun:test";
import { formatDate, formatDateTime, formatLongDate } from "../../../src/core/lib/quantities.ts";

test("dates read as Intl writes them for en-GB, on every day of a leap year", () => {
  const written = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-GB", { ...options, year: "numeric", timeZone: "UTC" });
  const short = written({ day: "numeric", month: "short" });
  const long = written({ weekday: "long", day: "numeric", month: "long" });
  for (let at = Date.UTC(2028, 0, 1); at < Date.UTC(2029, 0, 1); at += 86_400_000) {
    const ts = new Date(at).toISOString();
    expect([formatDate(ts), formatLongDate(ts.slice(0, 10))]).toEqual([short.format(at), long.format(at)]);
  }
  expect(formatDate("2026-11-20T23:30:00-01:00")).toBe("21 Nov 2026");
});

test("a time begins with its date, in every month", () => {
  const months = Array.from({ length: 12 }, (_, month) => String(month + 1).padStart(2, "0"));
  for (const month of months) {
    const ts = `2026-${month}-07T14:03:59.123456Z`;
    expect(formatDateTime(ts)).toBe(`${formatDate(ts)}, 14:03 UTC`);
  }
  expect(formatDateTime("2026-11-20T23:59:59Z")).toBe("20 Nov 2026, 23:59 UTC");
});
