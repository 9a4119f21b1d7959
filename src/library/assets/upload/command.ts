/** An upload reservation with the curl command that sends the file, for agents with a shell. */
import type { Caller } from "../../../core/auth/caller.ts";
import type { TagData } from "../../../core/lib/strings/untrusted-text.ts";
import type { LibraryContext } from "../../context.ts";
import type { UploadOffer, UploadRequest } from "../requests.ts";
import { requestUpload } from "./upload.ts";

/** Reserves an upload, with the curl command that sends the file. @throws 400, 404, 501 */
export async function offerUpload(
  ctx: LibraryContext,
  input: UploadRequest,
  caller: Caller,
): Promise<UploadOffer> {
  const config = (await ctx.locateServer?.()) ?? ctx.config;
  const { parts_url: _, ...reservation } = await requestUpload({ ...ctx, config }, input, caller);
  const headers = Object.entries(reservation.headers ?? {}).flatMap(([name, value]) => [
    "-H",
    shellQuoted(`${name}: ${value}`),
  ]);
  // -g: curl would read brackets and braces in a file name as a pattern.
  const words = [
    "curl",
    "-fsSg",
    ...headers,
    "-T",
    shellQuoted(pathOf(input.filename)),
    shellQuoted(reservation.upload_url),
  ];
  const parent = input.replaces === undefined ? null : await ctx.data.asset(null, input.replaces);
  return {
    ...reservation,
    max_bytes: ctx.config.uploadBytesMax,
    ...(parent?.status === "rejected" && parent.review_note !== null && { rejection: parent.review_note }),
    curl: words.join(" "),
  };
}

/** Quotes any text as one word of a POSIX shell. */
const shellQuoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Prefixes a path that curl would take for an option or, as `-` or `.`, for standard input. */
const pathOf = (filename: string): string =>
  /^[-.]/.test(filename) && !/^\.{1,2}\//.test(filename) ? `./${filename}` : filename;

/** Leaves the command outside of data tags, so that it can be run as it is. */
export const offerText = (
  { id, finalize_body, max_bytes, expires_at, rejection, curl }: UploadOffer,
  enclose: TagData,
): string =>
  [
    ...(rejection === undefined
      ? []
      : [
          `You replace a rejected version. Its reviewer wrote: ${enclose("its reviewer", rejection)}\n` +
            "Upload the changed file: the same file again would be marked as a repeat.",
        ]),
    `Run this command where the file is before ${expires_at} (at most ${max_bytes} bytes):`,
    curl,
    "Then call svc_asset_finalize with these arguments: " +
      `${enclose("you, when you reserved it", JSON.stringify({ id, ...finalize_body }))}`,
  ].join("\n\n");
