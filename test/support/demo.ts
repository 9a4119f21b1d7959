/** The demo at a moment. */
import { fillDemo } from "../../db/demo.ts";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import type { Event } from "../../src/feed/schema.ts";

export const lanes = ["lane_a", "lane_b", "lane_c"];
export const slugs = ["harbor", "silt", "tern"];

export async function fillDemoAt(now: number, names = lanes): Promise<Data> {
  const data = await openData("sqlite::memory:", { now: () => now, log() {} });
  await fillDemo(data, { now, lanes: names });
  return data;
}

export async function eventsOf(data: Data): Promise<Event[]> {
  const rows = await data.feed(null, { limit: 10_000 });
  return rows.map(({ wire }) => JSON.parse(wire)).reverse();
}
