/** The records of a request that are not in the feed, by why. */

/** Reasons that a message lists. */
const reasonsMax = 5;

export class Rejections {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** @param reason part of a sentence, such as `no project with slug 'atlas'` */
  add(reason: string): void {
    this.#total++;
    const isListed = this.#counts.has(reason) || this.#counts.size < reasonsMax;
    const key = isListed ? reason : "other reasons";
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The number of records, and a message such as `3 records: no project with slug 'atlas'.` */
  summary(): { rejected: number; message: string } {
    const parts = [...this.#counts].map(
      ([reason, count]) => `${count} ${count === 1 ? "record" : "records"}: ${reason}`,
    );
    return { rejected: this.#total, message: parts.length > 0 ? `${parts.join("; ")}.` : "" };
  }
}
