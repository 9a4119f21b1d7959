/** Uploading a file: reserve, PUT as a stream, finalize. */
import { basename } from "node:path";
import type { ApiAccess } from "./api.ts";
import { type Schemas, said } from "./client/client.ts";
import { CommandError } from "./command.ts";
import type { Progress } from "./progress.ts";

export type Pushed = Schemas["Asset"] & { skipped?: true };

/** What is said of every file of one push. */
export type Metadata = Omit<Schemas["FinalizeRequest"], "key">;

/**
 * A file whose bytes are in the project already is not sent again, so that a push that broke off is finished
 * by repeating it.
 */
export async function push(
  access: ApiAccess,
  path: string,
  metadata: Metadata,
  bar: Progress,
): Promise<Pushed> {
  const { api } = access;
  const file = Bun.file(path);
  const sha256 = await hashOf(file);
  const { assets } = await said(
    api.GET("/assets", { params: { query: { project: metadata.project, sha256, limit: 1 } } }),
  );
  const [there] = assets;
  if (there && there.status !== "rejected" && (!metadata.replaces || there.parent_id === metadata.replaces))
    return { ...there, skipped: true };
  const reserved = await said(
    api.POST("/assets/presign", { body: { ...metadata, filename: basename(path) } }),
  );
  const sent = await access.fetch(reserved.upload_url, {
    method: reserved.method,
    headers: { ...reserved.headers, "content-length": String(file.size) },
    body: file.stream().pipeThrough(counted(bar, basename(path))),
  });
  if (!sent.ok)
    throw new CommandError(`${path}: the bytes were refused (${sent.status}${await reasonOf(sent)})`);
  await sent.body?.cancel();
  return said(
    api.POST("/assets/{id}/finalize", {
      params: { path: { id: reserved.id } },
      body: reserved.finalize_body,
    }),
  );
}

async function hashOf(file: Bun.BunFile): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of file.stream()) hash.update(chunk);
  return hash.digest("hex");
}

const counted = (bar: Progress, name: string) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bar.advance(chunk.byteLength);
      bar.show(name);
      controller.enqueue(chunk);
    },
  });

async function reasonOf(response: Response): Promise<string> {
  const { detail } = (await response.json().catch(() => ({}))) as { detail?: string };
  return detail ? `: ${detail}` : "";
}
