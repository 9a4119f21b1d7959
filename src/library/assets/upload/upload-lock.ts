/**
 * One writer of each resumable upload in this process. A new request ends the previous one, whose connection
 * has usually died unnoticed: tus calls for this, as the client knows best which connection is alive. Between
 * nodes the primary key of the segments decides.
 */
interface Writer {
  controller: AbortController;
  done: Promise<void>;
}

class UploadLock {
  readonly #writers = new Map<string, Writer>();

  /** Ends the current writer, if there is one, and waits until it has stored what it received. */
  async interrupt(id: string): Promise<void> {
    for (let writer = this.#writers.get(id); writer; writer = this.#writers.get(id)) {
      writer.controller.abort(new Error("another request continues this upload"));
      await writer.done;
    }
  }

  /** Runs `work` as the only writer. Its signal aborts when the next one begins. */
  async acquire<T>(id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    // Checked again after each wait: several requests may have waited for the same writer.
    while (this.#writers.has(id)) await this.interrupt(id);
    const controller = new AbortController();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#writers.set(id, { controller, done });
    try {
      return await work(controller.signal);
    } finally {
      this.#writers.delete(id);
      resolve();
    }
  }
}

export const uploadLock = new UploadLock();
