/**
 * Uploads files several at a time: one by one, each would wait for every round trip (`bun run bench push`).
 */
import { resumableBytesMin } from "./upload-file.ts";
import type { UploadPath } from "./upload-paths.ts";

/** As many as one connection each keeps busy over a line with 15 ms round trip. */
const smallAtOnce = 8;

/**
 * Uploads the files and reports them in their order. Of a title, a file is sent after those before it, which
 * it may replace; a large file fills the line by itself, so these are sent one after the other.
 * @throws the first error of an upload, after those in flight; no other is started then
 */
export async function uploadInPool<R>(
  files: readonly UploadPath[],
  upload: (file: UploadPath) => Promise<R>,
  report: (file: UploadPath, result: R) => Promise<void>,
): Promise<void> {
  const outcomes = files.map((file) => ({ file, ...Promise.withResolvers<{ result: R } | null>() }));
  let failure: { error: unknown } | undefined;
  const work = async (groups: Iterable<typeof outcomes>) => {
    for (const group of groups)
      for (const { file, resolve } of group) {
        const uploaded = failure ? null : upload(file).then((result) => ({ result }));
        resolve(
          (await uploaded?.catch((error) => {
            failure ??= { error };
            return null;
          })) ?? null,
        );
      }
  };
  const groups = [...Map.groupBy(outcomes, ({ file }) => file.title).values()];
  const isLarge = (group: typeof outcomes) => group.some(({ file }) => file.size >= resumableBytesMin);
  // One iterator for all workers: each takes the next group.
  const small = groups.filter((group) => !isLarge(group)).values();
  const workers = [...Array.from({ length: smallAtOnce }, () => work(small)), work(groups.filter(isLarge))];
  for (const { file, promise } of outcomes) {
    const outcome = await promise;
    if (outcome) await report(file, outcome.result);
  }
  await Promise.all(workers);
  if (failure) throw failure.error;
}
