/** Backups as tar: regular files only. Long names and large sizes are in pax headers (POSIX.1-2001). */
import { createTarDecoder, createTarPacker } from "modern-tar";
import type { ByteStream } from "../../files/stores/store.ts";
import { BackupError, type Entry, requireName } from "./archive.ts";

/** A tar stream of the entries. */
export async function* createTar(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const pack = async () => {
    for await (const { name, size, body } of entries) {
      const file = controller.add({ name, size, mode: 0o600, mtime: new Date(0) }).getWriter();
      for await (const chunk of body) await file.write(chunk);
      await file.close();
    }
    controller.finalize();
  };
  pack().catch((error) => controller.error(error)); // `readable` fails with it
  yield* readable;
}

/**
 * Reads what `createTar` writes, and rejects every other kind of entry.
 * @throws {BackupError} if it is no tar, damaged or truncated; rethrows errors of `source`
 */
export async function* readTar(source: ByteStream): AsyncGenerator<Entry> {
  const chunks = source[Symbol.asyncIterator]();
  let sourceError: { error: unknown } | undefined;
  const input = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        sourceError = { error };
        throw error;
      }
    },
    cancel: async () => void (await chunks.return?.()),
  });
  async function* valuesOf<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error) => {
          throw sourceError ? sourceError.error : invalidTar(error);
        });
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {}); // a consumer that stops early need not know of later errors
    }
  }
  const entries = input.pipeThrough(createTarDecoder({ strict: true }));
  for await (const { header, body } of valuesOf(entries)) {
    if (header.type !== "file")
      throw new BackupError("the backup contains an unexpected entry; it was not made by svc");
    yield { name: requireName(header.name), size: header.size, body: valuesOf(body) };
    // The consumer skipped it. It is read to its end: after one that was canceled, modern-tar 0.8.6 stops in
    // a long file.
    if (!body.locked) for await (const _ of valuesOf(body));
  }
}

const invalidTar = ({ message }: Error): BackupError =>
  new BackupError(
    message === "Tar archive is truncated."
      ? "the backup is truncated"
      : "this is not an svc backup, or it is damaged",
  );
