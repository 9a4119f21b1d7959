/**
 * The three ways to a new asset: a form with its bytes, a reservation, and what was uploaded to a
 * reservation.
 */
import { ulid } from "ulid";
import { actorOf } from "../auth/actor.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { cleanLine } from "../ingest/clean-text.ts";
import { fromMicros, secondMicros } from "../lib/time.ts";
import { checkInput } from "../lib/validate.ts";
import { mimeOfName } from "../probe/bundle/extension.ts";
import { badRequest, conflict, noProject, notFound, notImplemented, Problem, tooLarge } from "../problem.ts";
import { assetKey, pendingKey, safeName } from "../stores/keys.ts";
import type { Store, Written } from "../stores/store.ts";
import { beheld, forget, lookAt } from "./derivatives.ts";
import { requireAsset, toAsset } from "./library.ts";
import {
  type Asset,
  AssetMetadata,
  type FinalizeInput,
  type PresignResponse,
  titleBytesMax,
  type UploadRequest,
} from "./schema.ts";
import { bytesPath, seal } from "./signed-urls.ts";
import { type FormPart, readField } from "./upload-form.ts";
import { addVersion } from "./versions.ts";

/** What an upload says of its asset, in any of the three ways. */
type Said = AssetMetadata;

export function requireStore({ store }: Context): Store {
  if (!store) throw notImplemented("This deployment has no asset store.");
  return store;
}

/**
 * The bytes come with the call. Fields before the file are checked before a byte is kept, all of them before
 * the asset is.
 */
export async function uploadAsset(
  ctx: Context,
  { parts }: { parts: AsyncIterable<FormPart> },
  caller: Caller,
): Promise<Asset> {
  const store = requireStore(ctx);
  const id = newId(ctx);
  const said = new Map<string, unknown>();
  let file: { filename: string; at: string; written: Written; head: Uint8Array } | null = null;
  let mayHaveRow = false;
  try {
    for await (const part of parts) {
      if ((said.has(part.name) && part.name !== "tags") || (part.name === "file" && file))
        throw badRequest(`${part.name} may be given once only.`);
      if (part.name !== "file") {
        const value = await readField(part);
        said.set(
          part.name,
          part.name === "tags" ? [...((said.get("tags") as string[]) ?? []), ...(value as string[])] : value,
        );
        continue;
      }
      const { filename } = part;
      if (filename === null) throw badRequest("file must be a file: its part has no file name.");
      // Bytes whose project is known go where they stay; the others wait for it.
      let at = pendingKey(id);
      if (said.has("project")) {
        const metadata = checkInput(AssetMetadata, said) as Said;
        await requireUploadable(ctx, metadata, caller);
        at = assetKey(metadata.project, id, filename);
      }
      const { passing, head } = beheld(part.body);
      const written = await store.put(at, passing, {
        type: "application/octet-stream",
        maxBytes: ctx.config.uploadBytesMax,
      });
      if (written === "taken") throw conflict("The id of this upload is taken; send it again.");
      file = { filename, at, written, head: head() };
    }
    if (!file) throw badRequest("file is required.");
    const { filename, at, written, head } = file;
    const metadata = checkInput(AssetMetadata, said) as Said;
    await requireUploadable(ctx, metadata, caller);
    const key = assetKey(metadata.project, id, filename);
    mayHaveRow = true;
    return await take(
      ctx,
      { id, at, key, filename, known: written, head, isReserved: false },
      metadata,
      caller,
    );
  } catch (error) {
    // What became of a row is known after a refusal alone; bytes that a fault left are a matter of the sweep,
    // which looks.
    const hasNoRow = !mayHaveRow || (error instanceof Problem && error.status < 500);
    if (file && hasNoRow && (mayHaveRow || file.at !== pendingKey(id)))
      tidy(forget(store, said.get("project") as string, id));
    throw error;
  } finally {
    if (file?.at === pendingKey(id)) tidy(store.delete(file.at));
  }
}

/** Nobody waits for it, since a store that hangs would hold up the answer once more; what stays is swept. */
const tidy = (work: Promise<void>): void => void work.catch(() => {});

/** Reserves an id and an address to PUT the bytes to: the store's own, where it has one, else ours. */
export async function requestUpload(
  ctx: Context,
  { filename, content_type, ...metadata }: UploadRequest,
  caller: Caller,
): Promise<PresignResponse> {
  const store = requireStore(ctx);
  await requireUploadable(ctx, metadata, caller);
  const now = ctx.now();
  const { uploadSeconds, siteUrl, contentUrl } = ctx.config;
  const id = newId(ctx);
  const key = assetKey(metadata.project, id, filename);
  const type = content_type ?? mimeOfName(filename);
  const expires_at = now + uploadSeconds * secondMicros;
  await ctx.data.atomically(async (writes) => {
    await writes.addUpload({ id, project: metadata.project, key, content_type: type, expires_at });
    return { id };
  });
  const sealed = seal(ctx.secret, "upload", id, Math.ceil(expires_at / secondMicros));
  const { url, headers } = (await store.signedPut(pendingKey(id), {
    type,
    expiresSeconds: uploadSeconds,
  })) ?? {
    url: `${contentUrl}${bytesPath}/upload/${id}/${sealed}`,
    headers: { "content-type": type },
  };
  return {
    ...{ id, key, upload_url: url, method: "PUT", headers, expires_at: fromMicros(expires_at) },
    finalize_url: `${siteUrl}/api/v1/assets/${id}/finalize`,
    // The key has a plainer name than the file.
    finalize_body: { ...(metadata.replaces === undefined && { title: titleOf(filename) }), ...metadata, key },
  };
}

/** Turns what was uploaded into an asset. Of several at once, one does; the rest hear 409. */
export async function finalizeAsset(
  ctx: Context,
  { id, key, ...metadata }: FinalizeInput,
  caller: Caller,
): Promise<Asset> {
  const store = requireStore(ctx);
  const upload = await ctx.data.upload(id);
  if (!upload || (caller.projects && !caller.projects.includes(upload.project))) {
    await requireNotFinalized(ctx, id, caller);
    throw notFound(`No upload is reserved under the id '${id}'.`, "upload");
  }
  if (key !== upload.key) throw badRequest("key must be the key of this reservation.");
  if (metadata.project !== upload.project)
    throw badRequest(`project must be that of the reservation, ${upload.project}.`);
  await requireUploadable(ctx, metadata, caller);
  const { size, sha256 } = upload;
  // What came in through the service is under its key for good; to an address of the store anybody may have
  // written again.
  const known = size !== null && sha256 !== null ? { size, sha256 } : null;
  const asset = await take(
    ctx,
    { id, at: pendingKey(id), key, filename: key.split("/").at(-1) as string, known, isReserved: true },
    metadata,
    caller,
  );
  tidy(store.delete(pendingKey(id)));
  return asset;
}

async function requireNotFinalized(
  ctx: Context,
  id: string,
  caller: Pick<Caller, "projects">,
): Promise<void> {
  if (await ctx.data.asset(caller.projects, id)) throw conflict("This upload was finalized already.");
}

/** What must hold before a byte is kept: the project, whom it replaces, and who made it. */
async function requireUploadable(
  ctx: Context,
  { project, replaces, by }: Said,
  caller: Caller,
): Promise<void> {
  actorOf(caller, by);
  if (!(await ctx.data.project(caller.projects, project))) throw noProject(project);
  if (replaces === undefined) return;
  const parent = await requireAsset(ctx, replaces, caller);
  if (parent.project !== project) throw badRequest(`replaces: ${replaces} belongs to another project.`);
  if (parent.status === "superseded") throw conflict(`${replaces} is not the newest version.`);
}

/** Bytes that no asset has taken over yet. */
interface Pending {
  id: string;
  /** Where they are. */
  at: string;
  /** Where they will be. */
  key: string;
  filename: string;
  /** What they are, where nobody can have written others since. */
  known: Written | null;
  /** Their first ones, where they were seen coming in. */
  head?: Uint8Array;
  isReserved: boolean;
}

/**
 * The bytes leave the reach of their upload address, are hashed and looked at, and become a row. What fails
 * after the copy leaves bytes without a row, which the sweep removes: another finalize of the same id may be
 * about to need them.
 */
async function take(
  ctx: Context,
  { id, at, key, filename, known, head, isReserved }: Pending,
  said: Said,
  caller: Caller,
): Promise<Asset> {
  const store = requireStore(ctx);
  const copied =
    at === key
      ? known
      : await store.copy(at, key, { type: "application/octet-stream", ...(known && { known }) });
  if (copied === null) {
    await requireNotFinalized(ctx, id, caller);
    throw notFound("Nothing was uploaded to this key.", "upload");
  }
  if (copied === "taken") throw conflict("Other bytes were finalized under this id.");
  if (copied.size > ctx.config.uploadBytesMax) {
    tidy(forget(store, said.project, id));
    throw tooLarge(`The file is larger than the ${ctx.config.uploadBytesMax} bytes that are taken here.`);
  }
  const seen = await lookAt(ctx, store, id, { key, size: copied.size, ...(head && { head }) });
  const {
    project,
    issue = null,
    pr = null,
    title = null,
    description = null,
    tags = [],
    replaces,
    by,
  } = said;
  const row = await ctx.data.atomically(async (writes) => {
    const created_at = ctx.now();
    const asset = {
      id,
      project,
      issue,
      pr,
      title,
      description,
      tags,
      ...copied,
      ...seen,
      key,
      created_by: actorOf(caller, by),
      created_at,
    };
    // The sweep may have forgotten the reservation meanwhile, and with it the bytes.
    if (isReserved && !(await writes.upload(id)) && !(await writes.asset(null, id)))
      throw notFound("This upload has expired.", "upload");
    const added = await addVersion(writes, ctx.config, asset, titleOf(filename), replaces);
    if (isReserved) await writes.removeUpload(id);
    return added;
  });
  return toAsset(ctx, row);
}

/** The file's own name, as far as a title may hold it. */
const titleOf = (filename: string): string =>
  cleanLine(filename.split(/[/\\]/).at(-1) ?? "", titleBytesMax) || safeName(filename);

const newId = ({ now }: Context): string => ulid(Math.floor(now() / 1000));
