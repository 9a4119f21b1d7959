/**
 * Spans of one call within each other: of a framework, of an instrumentation, and of the client itself. Each
 * names the usage, and it is counted once, by the span that comes first: that is mostly the innermost, which
 * ends first. Where another says more of the same tokens, it takes the place of the first, or corrects it.
 */
import { boundedByCount, Cache, perObject } from "../../core/lib/cache.ts";
import type { TimeSlices } from "../../core/lib/time-slices.ts";
import type { IntegrationsContext } from "../context.ts";
import type { SpanRecord } from "./records.ts";
import { beginsWork } from "./sources/conventions.ts";
import type { Mapped } from "./sources/source.ts";

/** A call that is counted, with what its span says. */
interface Counted {
  /** Its span. */
  id: string;
  key: string | null;
  /** Input and output; null for a call that failed. */
  total: string | null;
  cache: number;
  hasCost: boolean;
}

/** Spans of calls, and those around them: more than a Collector sends at a time. */
const spansMax = 32_768;

/**
 * By span. Those of one call can come in several requests, which a client sends to one server as long as it
 * keeps its connection.
 */
const countedCalls = perObject(
  (_data: IntegrationsContext["data"]) =>
    new Cache<string, Counted>({ max: spansMax, bytesOf: boundedByCount }),
);

/** Spans between a call and one within it. */
const levelsMax = 8;

export class NestedCalls {
  /** Span → the span around it, as long as both are about the same work. */
  readonly #parents = new Map<string, string>();
  readonly #calls = new Map<string, Mapped>();
  readonly #counted: Cache<string, Counted>;

  /** @param sender the name of its token: ids are its own */
  constructor(
    { data }: Pick<IntegrationsContext, "data">,
    readonly sender: string | null,
  ) {
    this.#counted = countedCalls(data);
  }

  add(span: SpanRecord, mapped: Mapped | null): void {
    const { traceId, spanId, parentSpanId } = span;
    if (traceId === "" || spanId === "") return;
    const id = this.#idOf(traceId, spanId);
    if (mapped?.event.kind === "step.usage") this.#calls.set(id, mapped);
    if (parentSpanId !== "" && !beginsWork(span)) this.#parents.set(id, this.#idOf(traceId, parentSpanId));
  }

  /** Events without those that repeat the usage of another span. */
  async withoutRepeats(mapped: readonly Mapped[], slices: TimeSlices): Promise<Mapped[]> {
    const changed = new Map<Mapped, Mapped | null>();
    for (const [id, around] of this.#innerFirst()) {
      const call = this.#calls.get(id) as Mapped;
      const summary = gist(id, call.event);
      const first = this.#countedFor(summary, around);
      if (!first) this.#count(summary, around);
      else if (first.id !== id || saysMore(first, summary)) {
        changed.set(call, null);
        if (!saysMore(summary, first)) continue;
        const richer = { ...call, event: { ...call.event, dedupe_key: first.key } };
        changed.set(this.#calls.get(first.id) ?? call, richer);
        this.#count({ ...summary, id: first.id, key: first.key }, around);
      }
      if (slices.isOver) await slices.next();
    }
    return mapped.flatMap((one) => (changed.has(one) ? (changed.get(one) ?? []) : one));
  }

  /** The calls of the request, each with the spans around it. */
  #innerFirst(): [id: string, around: string[]][] {
    const calls = [...this.#calls.keys()].map((id) => [id, this.#spansAround(id)] as [string, string[]]);
    const depth = new Map(
      calls.map(([id, around]) => [id, around.filter((one) => this.#calls.has(one)).length]),
    );
    return calls.toSorted(([a], [b]) => (depth.get(b) as number) - (depth.get(a) as number));
  }

  #idOf = (traceId: string, spanId: string): string => `${this.sender} ${traceId} ${spanId}`;

  #spansAround(id: string): string[] {
    const around: string[] = [];
    for (let at = this.#parents.get(id); at !== undefined && around.length < levelsMax; )
      at = this.#parents.get(around[around.push(at) - 1] as string);
    return around;
  }

  /** The call that is counted for this span: itself, one within it, or one around it. */
  #countedFor({ id, total }: Counted, around: readonly string[]): Counted | undefined {
    const counted =
      this.#counted.get(id) ??
      around.map((one) => this.#counted.get(one)).find((found, level) => found?.id === around[level]);
    // What failed within a call can have been tried again.
    return counted?.total === null && total !== null && counted.id !== id ? undefined : counted;
  }

  #count(call: Counted, around: readonly string[]): void {
    this.#counted.set(call.id, call);
    for (const id of around) if (!this.#counted.get(id)) this.#counted.set(id, call);
  }
}

function gist(id: string, event: Mapped["event"]): Counted {
  const { dedupe_key: key = null, tokens_in, tokens_out = 0, cost_equiv } = event;
  const { cache_read = 0, cache_write = 0 } = event;
  const cache = cache_read + cache_write;
  const hasCost = cost_equiv !== undefined;
  const total = tokens_in === undefined && !hasCost ? null : `${(tokens_in ?? 0) + cache} ${tokens_out}`;
  return { id, key, total, cache, hasCost };
}

/** Whether one says of the same tokens how much was a cache, or what they cost, where the other does not. */
const saysMore = (one: Counted, than: Counted): boolean =>
  one.total === than.total &&
  (one.cache > than.cache || (one.cache === than.cache && one.hasCost && !than.hasCost));
