/**
 * Families of samples in the text format of Prometheus (0.0.4). A sample is looked up once and kept by
 * whoever counts, so to count costs an addition.
 */

/** A number that only rises. */
export class Counter {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }

  *lines(name: string, labels: string): Iterable<string> {
    yield line(name, labels, this.value);
  }
}

/** A number as it is now. */
export class Gauge extends Counter {
  set(value: number): void {
    this.value = value;
  }
}

/** How often something took at most so long, in seconds. */
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
 * Samples of one name, told apart by their labels. What a label may say must be bounded: each value is a
 * series of its own.
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
    if (labels.length === 0) this.#sampleOf([]); // there from the start, at zero
  }

  of(...values: { [I in keyof L]: string }): S {
    return this.#sampleOf(values);
  }

  #sampleOf(values: readonly string[]): S {
    const key = values.join("\n");
    let known = this.#samples.get(key);
    if (!known) {
      const labels = this.labels
        .map((label, index) => `${label}="${escaped(values[index] as string)}"`)
        .join(",");
      this.#samples.set(key, (known = { labels, sample: this.make() }));
    }
    return known.sample;
  }

  /** Without its samples, where there are none yet: who reads it learns the name all the same. */
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
