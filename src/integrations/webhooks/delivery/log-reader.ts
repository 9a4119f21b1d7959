/** Reads the log by event id. Lanes that are behind share the parts that they read. */
import { boundedByCount, Cache } from "../../../core/lib/cache.ts";
import type { Event } from "../../../feed/schema.ts";
import type { IntegrationsReads } from "../../port.ts";
import type { LogEvent } from "../../rows.ts";

/** Events of one part: those with ids from `n * partLength + 1` to `(n + 1) * partLength`. */
const partLength = 256;

/** About 10 MB of parsed events. */
const partsMax = 32;

export interface LogReader {
  /** Events with an id above `after`, in order; empty when there is none up to `end`, which is committed. */
  after(after: number, end: number): Promise<Event[]>;
}

// safe because: the API returns the same text
export const parseEvent = ({ wire }: Pick<LogEvent, "wire">): Event => JSON.parse(wire) as Event;

const parseEvents = (rows: readonly LogEvent[]): Event[] => rows.map(parseEvent);

export function openLogReader(data: IntegrationsReads): LogReader {
  const parts = new Cache<number, Promise<Event[]>>({ max: partsMax, bytesOf: boundedByCount });
  const readPart = (part: number) => {
    const rows = data.eventsById(part * partLength, partLength).then(parseEvents);
    rows.catch(() => parts.delete(part));
    return rows;
  };
  return {
    async after(after, end) {
      const part = Math.floor(after / partLength);
      // A part that is not complete yet would be outdated.
      const events = await ((part + 1) * partLength <= end
        ? parts.getOrMake(part, () => readPart(part))
        : data.eventsById(after, partLength).then(parseEvents));
      const found = events.filter(({ id }) => id > after && id <= end);
      // A restored log may have gaps.
      return found.length > 0 || events.length === 0 ? found : gap(data, after, end);
    },
  };
}

async function gap(data: IntegrationsReads, after: number, end: number): Promise<Event[]> {
  return parseEvents(await data.eventsById(after, partLength)).filter(({ id }) => id <= end);
}
