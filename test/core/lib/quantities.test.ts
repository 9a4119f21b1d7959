import { expect, test } from "bun:test";
import { formatDate, formatDateTime } from "../../../src/core/lib/quantities.ts";

test("a time begins with its date, as Intl writes it, in every month", () => {
  const months = Array.from({ length: 12 }, (_, month) => String(month + 1).padStart(2, "0"));
  for (const month of months) {
    const ts = `2026-${month}-07T14:03:59.123456Z`;
    expect(formatDateTime(ts)).toBe(`${formatDate(ts)}, 14:03 UTC`);
  }
  expect(formatDateTime("2026-11-20T23:59:59Z")).toBe("20 Nov 2026, 23:59 UTC");
});
