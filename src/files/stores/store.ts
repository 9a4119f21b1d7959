/**
 * The object store interface, with the same semantics on a disk and in a bucket.
 *
 * Objects are atomic and immutable: a key is written once. Of concurrent writes to a key one wins; the others
 * get "exists", unless their content is identical. The exception is `_pending/…` in a store with presigned
 * URLs: anyone with the URL can overwrite the object, so a pending object is copied before it is inspected.
 *
 * Outcomes that a caller can cause are return values. A store that is unavailable, full or read-only is a
 * Problem 503 with its cause; an invalid key is a Problem 400. A `put` leaves nothing if its source fails, is
 * too large or is aborted. If the store fails or the process dies, it may leave what `deleteLeftovers` finds,
 * or a complete object without a row. Such an object is not deleted immediately: a concurrent writer of the
 * same content may rely on it.
 */

/** A stream of bytes: the body of a request, a part of a form, an object of another store. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** Size and hash of an object, computed while it was written. */
export interface ContentDigest {
  size: number;
  /** In hex. */
  sha256: string;
}

export interface PutOptions {
  /** Media type, for a bucket that serves its objects itself. */
  type: string;
  /** Response headers of a bucket that serves the object itself. */
  serving?: { cacheControl: string; disposition: string };
  /** In bytes. A larger source is a Problem 413. */
  maxBytes: number;
  /** Expected size in bytes, if known. Any other is a Problem 400. */
  size?: number;
  /** Aborts the write; `put` rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface CopyOptions extends Pick<PutOptions, "type" | "signal"> {
  /** What `put` returned for the source, if it cannot have been overwritten since. Saves hashing it again. */
  digest?: ContentDigest;
}

/** An object to join to others, which does not change anymore. */
export interface JoinedObject {
  key: string;
  /** In bytes. */
  size: number;
}

/** A range in bytes: from `start` up to, not including, `end`. It may extend beyond the object. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredObject {
  /** Size of the whole object in bytes, regardless of the range. */
  size: number;
  /** The requested bytes; errors if it cannot deliver all of them. The caller must read or cancel it. */
  body: ReadableStream<Uint8Array>;
  /** The same as a local file, if the store is on disk. It may be deleted before it is read. */
  file?: Blob;
  /**
   * Reads the same now, into memory that the next call reuses. Only for a small range of a local file; null
   * if it has been deleted.
   */
  readNow?(): Uint8Array<ArrayBuffer> | null;
}

export interface ObjectInfo {
  size: number;
  modifiedAt: Date;
}

export interface SignedPut {
  url: string;
  /** Headers that must be sent with the file, exactly. */
  headers: Record<string, string>;
}

/** A part that a client has sent. */
export interface ReceivedPart {
  size: number;
  etag: string;
}

/** Uploads in parts that a client sends to presigned URLs. The file is at its key once they are complete. */
export interface PartUploads {
  /** Begins an upload and returns its id. */
  begin(key: string, options: { type: string }): Promise<string>;
  /** The parts that have arrived, by number; null if there is no such upload. */
  list(key: string, uploadId: string): Promise<Map<number, ReceivedPart> | null>;
  /** Returns a presigned URL to PUT a part of exactly this size to. */
  sign(
    key: string,
    uploadId: string,
    part: { number: number; size: number },
    expiresSeconds: number,
  ): Promise<string>;
  /** Makes the object of these parts. False if one of them has changed. */
  complete(key: string, uploadId: string, parts: ReceivedPart[]): Promise<boolean>;
  /** Succeeds if there is no such upload. */
  abort(key: string, uploadId: string): Promise<void>;
}

/** Whether an unfinished upload to a bucket can still be continued by its client. */
export type IsInUse = (upload: { key: string; uploadId: string }) => Promise<boolean>;

export interface Store {
  /** Base URL for public reads, if the store has one: `<baseUrl>/<encoded key>`. */
  readonly baseUrl: string | null;
  /** Null for a store that presigns no URLs. */
  readonly parts: PartUploads | null;
  /** Resolves once the object is durable. "exists": the key holds a different object, which stays. */
  put(key: string, source: ByteStream, options: PutOptions): Promise<ContentDigest | "exists">;
  /**
   * Copies an object to another key, within the store if possible. Returns the digest of the copy, even if
   * the source changes meanwhile; null if there is no source.
   */
  copy(from: string, to: string, options: CopyOptions): Promise<ContentDigest | "exists" | null>;
  /**
   * Joins objects to a new one in this order, within the store if possible. Returns the digest of what is
   * stored; null if one of them is gone.
   */
  join(
    sources: JoinedObject[],
    to: string,
    options: Pick<CopyOptions, "type" | "signal">,
  ): Promise<ContentDigest | "exists" | null>;
  /** Null if there is no such object. */
  get(key: string, range?: ByteRange): Promise<StoredObject | null>;
  /**
   * Reads a small range of an object that `get` found within the last second, now, into memory that the next
   * call reuses. Undefined if that is not possible: then `get` says why. Only a store on a disk has it.
   */
  readNow?(key: string, range: ByteRange): Uint8Array<ArrayBuffer> | undefined;
  stat(key: string): Promise<ObjectInfo | null>;
  /** Succeeds if there is no such object. */
  delete(key: string): Promise<void>;
  /**
   * Lists the objects under a prefix after the key `after`, sorted by key. Skips names outside of the key
   * grammar.
   */
  list(prefix: string, after?: string): AsyncIterable<ObjectInfo & { key: string }>;
  /**
   * Returns a presigned URL to PUT one object to. Null if the store has none, so uploads go through the
   * service.
   */
  signedPut(key: string, options: { type: string; expiresSeconds: number }): Promise<SignedPut | null>;
  /** Free space in bytes; null for a store without a limit of its own. */
  freeBytes(): Promise<number | null>;
  /** Lists what writes that died before `before` left behind, as names for an admin. */
  listLeftovers(before: Date, isInUse?: IsInUse): Promise<string[]>;
  /**
   * Deletes these leftovers.
   * @returns how many
   */
  deleteLeftovers(before: Date, isInUse?: IsInUse): Promise<number>;
}

/** Which deployment owns a store, by the id it holds. `unknown`: it holds objects but no id. */
export type Owner = "this" | "other" | "unknown";

/**
 * A store that only its owner deletes from: for any other deployment, `delete` and `deleteLeftovers` throw a
 * Problem 503.
 */
export interface OwnedStore extends Store {
  /** Checks the owner, and claims an empty store for this deployment. */
  owner(): Promise<Owner>;
  /** The last result of `owner`; null before the first call. */
  lastOwner(): Owner | null;
  /** Claims the store for this deployment, whatever its owner. */
  takeOver(): Promise<void>;
}
