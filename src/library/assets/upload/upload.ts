/**
 * The ways to create an asset: upload a form with the file, or reserve an upload, PUT the file and finalize
 * it.
 */
import { ulid } from "ulid";
import { actorOf } from "../../../core/auth/actor.ts";
import type { Caller } from "../../../core/auth/caller.ts";
import type { FileForm } from "../../../core/lib/http/file-form.ts";
import { mimeOfName } from "../../../core/lib/mime-of-name.ts";
import { cleanLine } from "../../../core/lib/strings/clean-text.ts";
import { fromMicros, secondMicros } from "../../../core/lib/time.ts";
import {
  badRequest,
  conflict,
  NotFound,
  noProject,
  notFound,
  Problem,
  unavailable,
} from "../../../core/problem.ts";
import { runIdFor } from "../../../feed/runs/join-run.ts";
import { requireOwnRunId } from "../../../feed/runs/rule.ts";
import { requireOneTask } from "../../../feed/tasks/one-task.ts";
import { assetKey, pendingKey, safeName, segmentPrefix } from "../../../files/stores/keys.ts";
import { deletePrefix } from "../../../files/stores/objects.ts";
import type { ContentDigest } from "../../../files/stores/store.ts";
import { addComparison } from "../../comparisons/compare.ts";
import type { LibraryContext } from "../../context.ts";
import { givenProvenance } from "../../provenance/given.ts";
import { findReencoded } from "../../repeats/reencoded.ts";
import { findRepeat, requireAccepted } from "../../repeats/repeats.ts";
import { voterOf } from "../../verdicts/verdict.ts";
import { captureHead, deleteAssetFiles, makeDerivatives } from "../files/derivatives.ts";
import { fileNameOf, sentName } from "../files/response-headers.ts";
import { signExpiry, signedFilePath } from "../files/signed-urls.ts";
import { requireAsset, toAsset } from "../library.ts";
import { brokenLimits } from "../limits.ts";
import type { FinalizeInput, PresignResponse, UploadRequest } from "../requests.ts";
import { type Asset, type AssetMetadata, titleBytesMax } from "../schema.ts";
import { addVersion, givenColumns } from "../versions.ts";
import { requireNotFinalized, requireReserved, requireStore } from "./reservation.ts";
import { storeUpload } from "./stored-upload.ts";
import { resumableUrl } from "./upload-url.ts";

/**
 * Creates an asset from a form. Fields that precede the file are checked before it is stored, all fields
 * before the asset is created.
 */
export async function uploadAsset(
  ctx: LibraryContext,
  { filename, content, earlyFields, allFields }: FileForm<AssetMetadata>,
  caller: Caller,
): Promise<Asset> {
  const store = requireStore(ctx);
  const id = newId(ctx);
  if (earlyFields) await requireUploadable(ctx, earlyFields, caller);
  // Store the file at its final key if the project is known by now, else at a pending key.
  const location = earlyFields ? assetKey(earlyFields.project, id, filename) : pendingKey(id);
  const { chunks, head } = captureHead(content);
  const digest = await store.put(location, chunks, {
    type: "application/octet-stream",
    maxBytes: ctx.config.uploadBytesMax,
  });
  if (digest === "exists")
    throw conflict("The id generated for this upload is taken. Send the upload again.");
  let project = earlyFields?.project;
  let mayHaveRow = false;
  try {
    const metadata = await allFields();
    if (metadata !== earlyFields) await requireUploadable(ctx, metadata, caller);
    project = metadata.project;
    const key = assetKey(project, id, filename);
    mayHaveRow = true;
    return await createAsset(
      ctx,
      { id, location, key, filename, digest, head: head(), isReserved: false },
      metadata,
      caller,
    );
  } catch (error) {
    // Only a 4xx guarantees that no row exists. After any other error, orphan cleanup decides.
    const hasNoRow = !mayHaveRow || (error instanceof Problem && error.status < 500);
    if (project !== undefined && hasNoRow) deleteInBackground(ctx, deleteAssetFiles(store, project, id));
    throw error;
  } finally {
    if (location === pendingKey(id)) deleteInBackground(ctx, store.delete(location));
  }
}

/**
 * Does not await a deletion, so that a hanging store does not delay the response. Orphan cleanup repeats one
 * that failed.
 */
function deleteInBackground({ log }: Pick<LibraryContext, "log">, deletion: Promise<void>): void {
  deletion.catch((error: Error) =>
    log("warn", "an uploaded file could not be deleted yet", { error: error.message }),
  );
}

/** Reserves an id and an upload URL: signed by the store if it can, else one of the service. */
export async function requestUpload(
  ctx: LibraryContext,
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
    const { project } = metadata;
    await writes.addUpload({
      id,
      project,
      key,
      filename: sentName(filename),
      content_type: type,
      expires_at,
      token: caller.name,
    });
    return { id };
  });
  const signedExpiry = signExpiry(ctx.secret, "upload", id, Math.ceil(expires_at / secondMicros));
  const { url, headers } = (await store.signedPut(pendingKey(id), {
    type,
    expiresSeconds: uploadSeconds,
  })) ?? {
    url: `${contentUrl}${signedFilePath}/upload/${id}/${signedExpiry}`,
    headers: { "content-type": type },
  };
  return {
    id,
    key,
    upload_url: url,
    method: "PUT",
    headers,
    expires_at: fromMicros(expires_at),
    resumable_url: resumableUrl(ctx, { id, expires_at }),
    ...(store.parts && { parts_url: `${siteUrl}/api/v1/assets/${id}/parts` }),
    finalize_url: `${siteUrl}/api/v1/assets/${id}/finalize`,
    // The file name in the key is simplified, so the title keeps the original.
    finalize_body: { ...(metadata.replaces === undefined && { title: titleOf(filename) }), ...metadata, key },
  };
}

/** Turns an uploaded file into an asset. Of concurrent calls one succeeds; the others get a Problem 409. */
export async function finalizeAsset(
  ctx: LibraryContext,
  { id, key, ...metadata }: FinalizeInput,
  caller: Caller,
): Promise<Asset> {
  const store = requireStore(ctx);
  const upload = await requireReserved(ctx, id, caller);
  if (key !== upload.key) throw badRequest("key must match the key of the reserved upload.");
  if (metadata.project !== upload.project)
    throw badRequest(`project must be ${upload.project}, the project of the reserved upload.`);
  await requireUploadable(ctx, metadata, caller);
  const digest = await storeUpload(ctx, store, upload).catch(async (error) => {
    if (error instanceof NotFound) await requireNotFinalized(ctx, id, caller);
    throw error;
  });
  const asset = await createAsset(
    ctx,
    { id, location: key, key, filename: fileNameOf(upload), digest, isReserved: true },
    metadata,
    caller,
  );
  deleteInBackground(ctx, store.delete(pendingKey(id)));
  if (upload.length !== null) deleteInBackground(ctx, deletePrefix(store, segmentPrefix(id)));
  return asset;
}

/** Checks the project, the replaced asset and the author before anything is stored. */
async function requireUploadable(
  ctx: LibraryContext,
  { project, replaces, set, by, run_id, ...of }: AssetMetadata,
  caller: Caller,
): Promise<void> {
  actorOf(caller, by);
  // Clients resolve "." and ".." in a path, encoded or not (WHATWG URL, 4.2).
  if (set !== undefined && /^\.{0,2}$/.test(set.trim()))
    throw badRequest('set cannot be blank, "." or "..": its page would have no URL.');
  requireOwnRunId(run_id);
  requireOneTask(of);
  if (!(await ctx.data.linkedProjects(caller.projects, new Set([project]))).has(project))
    throw noProject(project);
  if (replaces === undefined) return;
  const parent = await requireAsset(ctx, replaces, caller);
  if (parent.project !== project) throw badRequest(`replaces: ${replaces} belongs to another project.`);
  if (parent.status === "superseded")
    throw conflict(`${replaces} is not the newest version. Replace the newest one instead.`);
}

/** An uploaded file that is not yet an asset. */
interface PendingFile {
  id: string;
  /** Key of the file now. */
  location: string;
  /** Key of the file as an asset. */
  key: string;
  filename: string;
  digest: ContentDigest;
  /** The first bytes, if they were captured during the upload. */
  head?: Uint8Array;
  isReserved: boolean;
}

/**
 * Moves the file to its final key, inspects it, and inserts the row. A failure after the move leaves the file
 * to orphan cleanup, since a concurrent finalize of the same id may need it.
 */
async function createAsset(
  ctx: LibraryContext,
  { id, location, key, filename, digest, head, isReserved }: PendingFile,
  metadata: AssetMetadata,
  caller: Caller,
): Promise<Asset> {
  const store = requireStore(ctx);
  const stored =
    location === key ? digest : await store.copy(location, key, { type: "application/octet-stream", digest });
  if (!stored) throw unavailable("The uploaded file has disappeared from the store. Send it again.");
  if (stored === "exists")
    throw conflict("The id generated for this upload is taken. Send the upload again.");
  const { columns, provenance, looks, files } = await makeDerivatives(ctx, store, id, {
    key,
    size: stored.size,
    owner: voterOf(caller),
    ...(head && { head }),
  });
  const { project, replaces, by, resubmit = null } = metadata;
  const stated = [...givenProvenance(metadata), ...provenance];
  const found = { ...columns, ...stored, key, filename: sentName(filename), uploader: voterOf(caller) };
  const near = await findReencoded(ctx, { ...metadata, ...found, fileTitle: titleOf(filename), ...looks });
  const row = await ctx.data.atomically(async (writes) => {
    const created_at = ctx.now();
    const run_id = await runIdFor(writes, ctx, caller, metadata);
    const asset = {
      id,
      project,
      ...givenColumns(metadata),
      run_id,
      ...stored,
      ...columns,
      key,
      filename: sentName(filename),
      created_by: actorOf(caller, by),
      uploader: voterOf(caller),
      created_at,
    };
    // Cleanup may have deleted the reservation and its file in the meantime.
    if (isReserved && !(await writes.upload(id)) && !(await writes.asset(null, id)))
      throw notFound("This upload has expired. Reserve a new one.", "upload");
    const parent = replaces === undefined ? null : await writes.asset(null, replaces);
    const file = { project, sha256: stored.sha256, chain: parent?.root_id ?? null };
    const identical = await findRepeat(writes, file, resubmit);
    const repeats = identical ?? (near && { ...near, reason: resubmit });
    await requireAccepted(writes, project, identical);
    const added = await addVersion(writes, ctx.config, { ...asset, repeats }, titleOf(filename), replaces);
    if (looks.picture !== null) await writes.addFingerprint(added, looks.picture);
    await addComparison(writes, added, looks.signature);
    if (stated.length > 0) await writes.addProvenance(id, project, stated);
    if (files.length > 0) await writes.saveBundleFiles(id, files);
    if (isReserved) await writes.removeUpload(id);
    return added;
  });
  const limits = await brokenLimits(ctx, row);
  return { ...toAsset(ctx, row), ...(limits.length > 0 && { limits }) };
}

/** The file name, cut to the length of a title. */
const titleOf = (filename: string): string =>
  cleanLine(filename.split(/[/\\]/).at(-1) ?? "", titleBytesMax) || safeName(filename);

const newId = ({ now }: LibraryContext): string => ulid(Math.floor(now() / 1000));
