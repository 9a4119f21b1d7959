/**
 * Routes that serve and receive files: signed URLs, uploads to a local store, and published files of a local
 * store. They have no rate limit.
 */

import { uploadChunks } from "../../../core/lib/http/request-body.ts";
import { forbidden, notFound } from "../../../core/problem.ts";
import { findPrivateFile, findPublishedFile } from "../../../library/assets/files/resolve.ts";
import { publicCacheControl } from "../../../library/assets/files/response-headers.ts";
import { type Purpose, shareOfSigned, signedFilePath } from "../../../library/assets/files/signed-urls.ts";
import { mediaPath } from "../../../library/assets/schema.ts";
import { receiveUpload } from "../../../library/assets/upload/direct.ts";
import type { Context } from "../../context.ts";
import { type Connection, pathOf } from "../api-middleware.ts";
import { withoutIdleTimeout } from "../limits/idle-timeout.ts";
import type { RouteHandler } from "../plain-route.ts";
import { fileResponse } from "./response.ts";
import { allowAnyOrigin, tusRoutes } from "./tus.ts";

export const uploadPath = `${signedFilePath}/upload/*`;

const readPurposes = ["view", "thumb", "bundle", "download", "annotated"] as const satisfies Purpose[];
const purposes: ReadonlySet<string> = new Set(readPurposes);

/** Path → handler of GET. */
export const fileRoutes = (ctx: Context): Record<string, RouteHandler> => ({
  [`${signedFilePath}/*`]: async (request) => {
    const { purpose, id, sealed, path } = readSigned(request);
    if (!purposes.has(purpose)) throw notFound(`Path not found: ${pathOf(request.url)}`);
    const file = await findPrivateFile(ctx, purpose as Exclude<Purpose, "upload">, id, sealed, path);
    const { config } = ctx;
    const secondsLeft = Math.max(0, Number(sealed.split("-", 1)[0]) - Math.floor(ctx.now() / 1_000_000));
    const origin = `${config.contentUrl}${signedFilePath}/${purpose}/${id}/${sealed}/`;
    return fileResponse(request, file, {
      config,
      origin,
      // A copy in a cache would outlive a revoked share.
      cacheControl:
        shareOfSigned(sealed) === undefined
          ? `private, max-age=${secondsLeft}, immutable`
          : "private, no-store",
    });
  },
  [`${mediaPath}/*`]: async (request) => {
    const key = decoded(pathOf(request.url).slice(mediaPath.length + 1));
    const file = await findPublishedFile(ctx, key);
    const folder = key.split("/").slice(0, 2).join("/");
    return fileResponse(request, file, {
      config: ctx.config,
      origin: `${ctx.config.contentUrl}${mediaPath}/${folder}/`,
      cacheControl: publicCacheControl,
    });
  },
});

/** Method → handler of a signed upload URL: one PUT, or a resumable upload. */
export const uploadRoutes = (ctx: Context): Record<string, RouteHandler> => ({
  PUT: async (request, connection) => allowAnyOrigin(await receiveSignedUpload(ctx, request, connection)),
  ...tusRoutes(ctx, (request) => {
    const { id, sealed } = readSigned(request);
    return { id, signedExpiry: sealed };
  }),
});

/** PUT of a reserved upload, for stores without presigned URLs of their own. */
async function receiveSignedUpload(
  ctx: Context,
  request: Request,
  connection: Connection | null,
): Promise<Response> {
  const { id, sealed } = readSigned(request);
  const upload = {
    id,
    signedExpiry: sealed,
    body: uploadChunks(request),
    type: request.headers.get("content-type"),
    length: request.headers.get("content-length"),
  };
  const result = await withoutIdleTimeout(request, connection, () => receiveUpload(ctx, upload));
  return Response.json(result, {
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" },
  });
}

/** `/api/assets/<purpose>/<id>/<seal>/<path>`: the whole path is signed, so a query string is rejected. */
function readSigned(request: Request): { purpose: string; id: string; sealed: string; path: string } {
  const path = pathOf(request.url);
  if (request.url.includes("?")) throw forbidden("A signed URL cannot have a query string.");
  const [purpose = "", id = "", sealed = "", ...rest] = path.slice(signedFilePath.length + 1).split("/");
  return { purpose, id, sealed, path: decoded(rest.join("/")) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw notFound("The path is not valid percent-encoded UTF-8.");
  }
}
