/**
 * Uploads one file as an asset: presign, PUT as a stream, finalize. The commands know nothing of how the file
 * travels.
 */
import { basename } from "node:path";
import type { ApiAccess } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { CommandError } from "../../command.ts";
import type { Progress } from "../../output/progress.ts";

export type PushedAsset = Schemas["Asset"] & { skipped?: true };

/** Metadata of an upload. */
export type Metadata = Omit<Schemas["FinalizeRequest"], "key">;

/**
 * Uploads one file. Skips it if the project already has an asset with the same SHA-256, so that an
 * interrupted push can be repeated.
 */
export async function uploadFile(
  access: ApiAccess,
  path: string,
  metadata: Metadata,
  bar: Progress,
): Promise<PushedAsset> {
  const { api } = access;
  const file = Bun.file(path);
  const sha256 = await hashOf(file);
  const { assets } = await unwrap(
    api.GET("/assets", { params: { query: { project: metadata.project, sha256, limit: 1 } } }),
  );
  const [existing] = assets;
  if (
    existing &&
    existing.status !== "rejected" &&
    (!metadata.replaces || existing.parent_id === metadata.replaces)
  )
    return { ...existing, skipped: true };
  const reservation = await unwrap(
    api.POST("/assets/presign", { body: { ...metadata, filename: basename(path) } }),
  );
  const response = await access.fetch(reservation.upload_url, {
    method: reservation.method,
    headers: { ...reservation.headers, "content-length": String(file.size) },
    body: file.stream().pipeThrough(countBytes(bar, basename(path))),
  });
  if (!response.ok)
    throw new CommandError(
      `Upload of ${path} failed with status ${response.status}${await reasonOf(response)}.`,
    );
  await response.body?.cancel();
  return unwrap(
    api.POST("/assets/{id}/finalize", {
      params: { path: { id: reservation.id } },
      body: reservation.finalize_body,
    }),
  );
}

async function hashOf(file: Bun.BunFile): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of file.stream()) hash.update(chunk);
  return hash.digest("hex");
}

const countBytes = (bar: Progress, name: string) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bar.advance(chunk.byteLength);
      bar.show(name);
      controller.enqueue(chunk);
    },
  });

async function reasonOf(response: Response): Promise<string> {
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
  return detail ? `: ${detail.replace(/\.$/, "")}` : "";
}
