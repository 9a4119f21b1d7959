/**
 * Metrics in the Prometheus text format (0.0.4). Callers look up a sample once and keep it, so counting costs
 * one addition.
 */

/** A value that only increases. */
export class Counter {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }

  *lines(name: string, labels: string): Iterable<string> {
    yield line(name, labels, this.value);
  }
}

/** A value that can go up and down. */
export class Gauge extends Counter {
  set(value: number): void {
    this.value = value;
  }
}

/** Durations in seconds, counted in buckets. @param bounds upper bounds of the buckets, ascending */
export class Histogram {
  readonly #counts: number[];
  #sum = 0;

  constructor(readonly bounds: readonly number[]) {
    this.#counts = new Array(bounds.length + 1).fill(0);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.bounds.length && seconds > (this.bounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += seconds;
  }

  *lines(name: string, labels: string): Iterable<string> {
    let count = 0;
    for (const [bucket, own] of this.#counts.entries()) {
      count += own;
      yield line(`${name}_bucket`, joined(labels, `le="${this.bounds[bucket] ?? "+Inf"}"`), count);
    }
    yield line(`${name}_sum`, labels, this.#sum);
    yield line(`${name}_count`, labels, count);
  }
}

export type Sample = Counter | Gauge | Histogram;

/**
 * A metric family: samples with one name and different labels. Label values must be bounded: each is a
 * series.
 */
export class Family<S extends Sample = Sample, L extends readonly string[] = readonly string[]> {
  readonly #samples = new Map<string, { labels: string; sample: S }>();

  constructor(
    readonly name: string,
    readonly type: "counter" | "gauge" | "histogram",
    readonly help: string,
    readonly labels: L,
    readonly make: () => S,
  ) {
    if (labels.length === 0) this.#sampleOf([]); // exported as zero from the start
  }

  /** The sample with these label values; created on first use. */
  of(...values: { [I in keyof L]: string }): S {
    return this.#sampleOf(values);
  }

  #sampleOf(values: readonly string[]): S {
    const key = values.join("\n");
    let entry = this.#samples.get(key);
    if (!entry) {
      const labels = this.labels
        .map((label, index) => `${label}="${escaped(values[index] as string)}"`)
        .join(",");
      this.#samples.set(key, (entry = { labels, sample: this.make() }));
    }
    return entry.sample;
  }

  /** Yields HELP and TYPE even without samples, so that the metric is discoverable. */
  *lines(): Iterable<string> {
    yield `# HELP ${this.name} ${this.help}`;
    yield `# TYPE ${this.name} ${this.type}`;
    for (const { labels, sample } of this.#samples.values()) yield* sample.lines(this.name, labels);
  }
}

export const counter = <const L extends readonly string[]>(name: string, help: string, ...labels: L) =>
  new Family(name, "counter", help, labels, () => new Counter());

export const gauge = <const L extends readonly string[]>(name: string, help: string, ...labels: L) =>
  new Family(name, "gauge", help, labels, () => new Gauge());

export const histogram = <const L extends readonly string[]>(
  bounds: readonly number[],
  name: string,
  help: string,
  ...labels: L
) => new Family(name, "histogram", help, labels, () => new Histogram(bounds));

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

/** The text of all families, as served at `/metrics`. */
export const exposition = (families: Iterable<Family>): string => {
  const lines: string[] = [];
  for (const family of families) lines.push(...family.lines());
  return `${lines.join("\n")}\n`;
};

const escaped = (value: string): string =>
  value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");

const joined = (labels: string, more: string): string => (labels === "" ? more : `${labels},${more}`);

const line = (name: string, labels: string, value: number): string =>
  `${name}${labels === "" ? "" : `{${labels}}`} ${value}`;
