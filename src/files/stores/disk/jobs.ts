/** The messages between the main thread and its disk workers. */

/** Adds the next block to a hash stream, or ends the stream. */
export interface HashJob {
  streamId: number;
  next?: { block: Uint8Array; fd: number | null; position: number };
}

/** Writes a new file, links it to its final name and syncs both to disk. Each step is optional. */
export interface DiskJob {
  file?: string;
  /** Content of a temporary `file`, which is removed once it is linked, or if that fails. */
  bytes?: Uint8Array;
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
  job: HashJob | DiskJob;
}
export type WorkerResult = { sha256?: string } | { failed: { message: string; code?: string } };
export type WorkerResponse = Pick<WorkerRequest, "id"> & { result: WorkerResult };
