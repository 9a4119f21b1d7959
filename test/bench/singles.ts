/** Single events through `POST /events`: of one writer who waits for each of his own, and of many at once. */
import { eventOf } from "./events.ts";
import { inRounds, median, type Place, type Result, ratioOf } from "./measure.ts";

const writers = 64;
/** As many in each run. */
export const singles = 640;
export const rounds = 15;

/**
 * What many writers gain from sharing commits; and, where there is one, what a plain program does that
 * commits each by itself.
 */
export async function measureSingles(
  place: Place,
  url: string,
  where: string,
  plain?: (message: { first: number; count: number }) => Promise<number>,
): Promise<Result[]> {
  let first = 100_000_000;
  let plainFirst = 0;
  const sendLoad = (connections: number) => () =>
    place.fire({ url, connections, requests: Array.from({ length: singles }, () => append(first++, 1)) });
  const found = await inRounds(rounds, {
    ...{ together: sendLoad(writers), alone: sendLoad(1) },
    plain: async () => (await plain?.({ first: (plainFirst += singles), count: singles })) ?? 0,
  });
  const gain = ratioOf(found.together, found.alone);
  const results: Result[] = [
    {
      ...{
        measure: `${where}, single events, ${writers} writers against one writer`,
        svc: perSecond(found.together),
        ceiling: perSecond(found.alone),
      },
      ...{ ratio: gain, aim: "at least 5.00 x", reached: gain >= 5 },
    },
  ];
  if (plain) {
    const compared = {
      svc: perSecond(found.together),
      ceiling: perSecond(found.plain),
      aim: "none",
      reached: true,
    };
    results.push(
      {
        ...compared,
        measure: `${where}, single events, ${writers} writers`,
        ratio: ratioOf(found.together, found.plain),
      },
      {
        ...compared,
        measure: `${where}, single events, one writer`,
        svc: perSecond(found.alone),
        ratio: ratioOf(found.alone, found.plain),
      },
    );
  }
  return results;
}

export const perSecond = (rates: number[]): string => `${Math.round(median(rates))} events/s`;

/** The request that appends so many events from that one on. */
export function append(first: number, length: number): string {
  const events = Array.from({ length }, (_, index) => ({
    ...eventOf(first + index),
    dedupe_key: `bench:${first + index}`,
  }));
  const body = JSON.stringify({ events });
  return `POST /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bench\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
