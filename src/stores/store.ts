/**
 * Where bytes live. One interface, the same rules on a disk and in a bucket:
 *
 * An object is whole or not there, and once there it never changes: a key is written once. Two that write the
 * same key at once cannot mix: one of them keeps its bytes, the other is told, unless its bytes are the very
 * same. The exception is `_pending/…` of a store that signs addresses of its own, which whoever holds the
 * address may write again; so what is pending is copied before anything is said of it.
 *
 * Outcomes that a caller can cause come back as values. A store that does not answer, is full or is read-only
 * is a Problem 503 with its cause; a key outside of the grammar is a Problem 400. A `put` whose source fails,
 * is too large or is cut by the signal leaves nothing. One that fails by the store, or dies with the process,
 * may leave what `sweep` finds, or a whole object that nobody knows of and `list` shows; it is not deleted at
 * once, since whoever wrote the same bytes at the same time may rely on it.
 */

/** Bytes as they come: the body of a request, a part of a form, an object of another store. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** What was kept: counted and hashed on its way in. */
export interface ContentDigest {
  size: number;
  /** Of the bytes, in hex. */
  sha256: string;
}

export interface PutOptions {
  /** Media type, for a bucket that serves its objects itself. */
  type: string;
  /** What a bucket sends with an object that it serves itself. */
  serving?: { cacheControl: string; disposition: string };
  /** One byte more is a Problem 413. */
  maxBytes: number;
  /** What the source has to add up to, where that is known; anything else is a Problem 400. */
  size?: number;
  /** Ends the work; whoever aborts gives the reason that `put` fails with. */
  signal?: AbortSignal;
}

export interface CopyOptions extends Pick<PutOptions, "type" | "signal"> {
  /**
   * What `put` said of the source, where nobody else can have written it since; it spares reading it again.
   */
  digest?: ContentDigest;
}

/**
 * A part of an object: from `start` up to, not including, `end`; what lies behind the last byte is left out.
 */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredObject {
  /** Of the whole object, whatever the range. */
  size: number;
  /** The bytes asked for: all of them, or an error on the way. To be read or cancelled. */
  body: ReadableStream<Uint8Array>;
  /** The same, where they lie on a disk of this machine; it may be gone by the time that it is read. */
  file?: Blob;
}

export interface ObjectInfo {
  size: number;
  modifiedAt: Date;
}

export interface SignedPut {
  url: string;
  /** To be sent with the bytes, exactly. */
  headers: Record<string, string>;
}

export interface Store {
  /** Address under which the world reads the objects, where the store has one: `<address>/<encoded key>`. */
  readonly baseUrl: string | null;
  /** Resolves once the bytes are durable. "exists": the key holds other bytes, which stay. */
  put(key: string, source: ByteStream, options: PutOptions): Promise<ContentDigest | "exists">;
  /**
   * Takes a snapshot of an object under another key of the same store, without moving its bytes where the
   * store can, and says what that snapshot holds, whatever becomes of the source. Null where there is no
   * source.
   */
  copy(from: string, to: string, options: CopyOptions): Promise<ContentDigest | "exists" | null>;
  /** Null where there is no such object. */
  get(key: string, range?: ByteRange): Promise<StoredObject | null>;
  stat(key: string): Promise<ObjectInfo | null>;
  /** No object is fine. */
  delete(key: string): Promise<void>;
  /**
   * Every object under a prefix, in the order of keys, behind `after`; what is not named by the grammar is
   * left out.
   */
  list(prefix: string, after?: string): AsyncIterable<ObjectInfo & { key: string }>;
  /**
   * An address that takes one object by PUT until it expires, where the store has such; else the service
   * takes the bytes.
   */
  signedPut(key: string, options: { type: string; expiresSeconds: number }): Promise<SignedPut | null>;
  /** What writes that died before `before` left behind, by names for the operator. */
  listLeftovers(before: Date): Promise<string[]>;
  /** Removes it; says how many. */
  deleteLeftovers(before: Date): Promise<number>;
}

/** Which deployment a store belongs to, by the id that it holds. `unknown`: it holds objects and no id. */
export type Owner = "this" | "other" | "unknown";

/**
 * Deletes nothing but what is its deployment's own: of any other store, `delete` and `sweep` are a Problem
 * 503.
 */
export interface OwnedStore extends Store {
  /** Looks again, and makes an empty store this deployment's own. */
  owner(): Promise<Owner>;
  /** What `owner` found last; null before it was asked. */
  lastOwner(): Owner | null;
  /** Makes the store this deployment's own, whoever it belonged to. */
  takeOver(): Promise<void>;
}
