/** A reservation for an agent at a shell, with the command that sends the file. */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { TagData } from "../lib/data-tags.ts";
import type { UploadOffer, UploadRequest } from "./schema.ts";
import { requestUpload } from "./upload.ts";

export async function offerUpload(ctx: Context, input: UploadRequest, caller: Caller): Promise<UploadOffer> {
  const config = (await ctx.locateServer?.()) ?? ctx.config;
  const reserved = await requestUpload({ ...ctx, config }, input, caller);
  const headers = Object.entries(reserved.headers ?? {}).flatMap(([name, value]) => [
    "-H",
    quoted(`${name}: ${value}`),
  ]);
  // -g: curl would read brackets and braces in a file name as a pattern.
  const words = [
    "curl",
    "-fsSg",
    ...headers,
    "-T",
    quoted(pathOf(input.filename)),
    quoted(reserved.upload_url),
  ];
  return { ...reserved, max_bytes: ctx.config.uploadBytesMax, curl: words.join(" ") };
}

/** One word of a POSIX shell, whatever is in it. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** curl reads `-` and `.` as its standard input. */
const pathOf = (filename: string): string =>
  /^[-.]/.test(filename) && !/^\.{1,2}\//.test(filename) ? `./${filename}` : filename;

/** The command stands by itself, or quotes and tags would have to be undone before it runs. */
export const offerText = (
  { id, finalize_body, max_bytes, expires_at, curl }: UploadOffer,
  enclose: TagData,
): string =>
  [
    `Run this where the file is, before ${expires_at}; it may have at most ${max_bytes} bytes:`,
    curl,
    `Then call svc_asset_finalize with these arguments: ${enclose("you, when you reserved it", JSON.stringify({ id, ...finalize_body }))}`,
  ].join("\n\n");
