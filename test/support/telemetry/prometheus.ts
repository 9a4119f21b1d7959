/** A strict parser of the Prometheus text format (0.0.4), like `promtool check metrics`. */

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Scrape {
  /** Name → counter, gauge or histogram. */
  types: Map<string, string>;
  samples: Sample[];
  /** Value of the only sample with this name and these labels, or NaN. */
  value(name: string, labels?: Record<string, string>): number;
}

/** Parses metrics. Throws at the first invalid line. */
export function readExposition(text: string): Scrape {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  const collected = new Set<string>();
  let family = "";
  for (const line of text.slice(0, -1).split("\n")) {
    const [, comment, name = "", said = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (comment === "HELP") {
      if (types.has(name)) throw new Error(`${name} comes twice`);
      family = name;
    } else if (comment === "TYPE") {
      if (name !== family || !/^(counter|gauge|histogram)$/.test(said))
        throw new Error(`not a type: ${line}`);
      if ((said === "counter") !== name.endsWith("_total"))
        throw new Error(`${name} is not called what it is`);
      types.set(name, said);
    } else {
      const sample = readSample(line);
      const suffix = types.get(family) === "histogram" ? /_(bucket|sum|count)$/ : /$^/;
      if (sample.name.replace(suffix, "") !== family) throw new Error(`outside of its family: ${line}`);
      const key = line.slice(0, line.lastIndexOf(" "));
      if (collected.has(key)) throw new Error(`comes twice: ${key}`);
      collected.add(key);
      samples.push(sample);
    }
  }
  requireHistograms(types, samples);
  const value = (name: string, labels: Record<string, string> = {}) => {
    const found = samples.filter(
      (one) => one.name === name && Object.entries(labels).every(([key, said]) => one.labels[key] === said),
    );
    return found.length === 1 ? (found[0] as Sample).value : Number.NaN;
  };
  return { types, samples, value };
}

function readSample(line: string): Sample {
  const [, name, labels = "", value = ""] = /^([a-z_]+)(?:\{(.+)\})? (\S+)$/.exec(line) ?? [];
  if (!name || value === "" || !Number.isFinite(Number(value))) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/g)];
  if (pairs.map(([whole]) => whole).join("") !== labels) throw new Error(`not labels: ${line}`);
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key, said]) => [key, said])),
    value: Number(value),
  };
}

/** Buckets must be cumulative, and the last one must hold every observation. */
function requireHistograms(types: Map<string, string>, samples: Sample[]): void {
  for (const [name] of [...types].filter(([, type]) => type === "histogram")) {
    const counts = samples.filter((one) => one.name === `${name}_count`);
    for (const { labels, value } of counts) {
      const ofThese = (one: Sample) =>
        Object.entries(labels).every(([key, said]) => one.labels[key] === said);
      const buckets = samples.filter((one) => one.name === `${name}_bucket` && ofThese(one));
      const rising = buckets.every(
        (one, index) => index === 0 || one.value >= (buckets[index - 1] as Sample).value,
      );
      const last = buckets.at(-1);
      if (!rising || last?.labels.le !== "+Inf" || last.value !== value)
        throw new Error(`not a histogram: ${name}`);
    }
  }
}
