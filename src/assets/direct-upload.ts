/** The local store's own upload address: one PUT of the reserved bytes. */
import { actionOf, withAuditRow } from "../audit/action.ts";
import { anonymous } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { conflict, notFound, Problem, tooLarge, unsupportedMediaType } from "../problem.ts";
import { pendingKey } from "../stores/keys.ts";
import type { Written } from "../stores/store.ts";
import { holds } from "./signed-urls.ts";
import { requireStore } from "./upload.ts";

export interface Received {
  id: string;
  sealed: string;
  type: string | null;
  length: string | null;
  body: AsyncIterable<Uint8Array>;
}

export async function receiveUpload(
  ctx: Context,
  { id, sealed, type, length, body }: Received,
): Promise<Written> {
  const store = requireStore(ctx);
  if (!holds(ctx.secret, "upload", id, sealed, ctx.now()))
    throw new Problem(403, "This address is not signed for that, or its time is over.");
  const upload = await ctx.data.upload(id);
  if (!upload) throw notFound("This upload was finalized or forgotten.");
  if (type !== upload.content_type)
    throw unsupportedMediaType(`The bytes must be sent as Content-Type: ${upload.content_type}.`);
  const key = pendingKey(id);
  if (await store.stat(key)) throw conflict("The bytes of this upload are here already.");
  if (Number(length) > ctx.config.uploadBytesMax)
    throw tooLarge(`The file is larger than the ${ctx.config.uploadBytesMax} bytes that are taken here.`);
  const size = length !== null && /^\d{1,15}$/.test(length) ? { size: Number(length) } : {};
  const written = await store.put(key, body, {
    type: upload.content_type,
    maxBytes: ctx.config.uploadBytesMax,
    ...size,
  });
  if (written === "taken") throw conflict("The bytes of this upload are here already.");
  const act = actionOf({ ...anonymous, source: { via: "address" } }, "putUpload");
  await withAuditRow(ctx, { ...act, project: upload.project, target: id }).data.atomically((writes) =>
    writes.fillUpload(id, written),
  );
  return written;
}
