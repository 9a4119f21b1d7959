/** The messages between the main thread and its disk workers. */

/**
 * Bytes as a worker gets them. A block that is used again has a number, and is sent only once to each worker:
 * shared memory counts as garbage of its receiver each time, and collecting that for every sixth block took a
 * twentieth of an upload of 1 MiB (`bun run bench uploads`).
 */
export interface SentBytes {
  number?: number | undefined;
  /** Absent if the worker has the block of this number. */
  block?: Uint8Array;
  length: number;
}

/** Adds the next block to a hash stream, or ends the stream. */
export interface HashJob<Bytes = Uint8Array> {
  streamId: number;
  next?: { block: Bytes; fd: number | null; position: number };
}

/** Writes a new file, links it to its final name and syncs both to disk. Each step is optional. */
export interface DiskJob<Bytes = Uint8Array> {
  file?: string;
  /** Content of a temporary `file`, which is removed once it is linked, or if that fails. */
  bytes?: Bytes;
  /** Never replaces an existing file. */
  path?: string;
  /**
   * Folder of `path`. It and its parents up to `upTo` are created if missing. None of them may be a symbolic
   * link.
   */
  folder: string;
  upTo: string;
}

/** A request to a worker thread. Its result has the hash of an ended stream, or of what a job wrote. */
export interface WorkerRequest {
  id: number;
  job: HashJob<SentBytes> | DiskJob<SentBytes>;
}
export type WorkerResult = { sha256?: string } | { failed: { message: string; code?: string } };
export type WorkerResponse = Pick<WorkerRequest, "id"> & { result: WorkerResult };
