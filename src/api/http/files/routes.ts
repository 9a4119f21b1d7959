/** Routes that serve files: signed URLs, and published files of a local store. They have no rate limit. */
import { forbidden, notFound, Problem } from "../../../core/problem.ts";
import { findPrivateFile, findPublishedFile } from "../../../library/assets/files/resolve.ts";
import { publicCacheControl } from "../../../library/assets/files/response-headers.ts";
import { type Purpose, shareOfSigned, signedFilePath } from "../../../library/assets/files/signed-urls.ts";
import { mediaPath } from "../../../library/assets/schema.ts";
import type { Context } from "../../context.ts";
import { pathOf } from "../api-middleware.ts";
import type { RouteHandler } from "../plain-route.ts";
import { recentFilesOf } from "./recent-files.ts";
import { fileResponse } from "./response.ts";

const readPurposes = ["view", "thumb", "bundle", "download", "annotated"] as const satisfies Purpose[];
const purposes: ReadonlySet<string> = new Set(readPurposes);

/** Path → handler of GET. */
export function fileRoutes(ctx: Context): Record<string, RouteHandler> {
  const { config } = ctx;
  const recent = recentFilesOf(ctx);
  return {
    [`${signedFilePath}/*`]: async (request) => {
      const { purpose, id, sealed, path } = readSigned(request);
      if (!purposes.has(purpose)) throw notFound(`Path not found: ${pathOf(request.url)}`);
      const origin = `${config.contentUrl}${signedFilePath}/${purpose}/${id}/${sealed}/`;
      const find = () => findPrivateFile(ctx, purpose as Exclude<Purpose, "upload">, id, sealed, path);
      return orMissing(request, async () => {
        // A copy in a cache would outlive a revoked share.
        if (shareOfSigned(sealed) !== undefined)
          return fileResponse(request, await find(), { config, origin, cacheControl: "private, no-store" });
        const secondsLeft = Math.max(0, Number(sealed.split("-", 1)[0]) - Math.floor(ctx.now() / 1_000_000));
        const cacheControl = `private, max-age=${secondsLeft}, immutable`;
        return recent.respond(request, async () => ({ file: await find(), config, origin, cacheControl }));
      });
    },
    [`${mediaPath}/*`]: async (request) => {
      const key = decoded(pathOf(request.url).slice(mediaPath.length + 1));
      const folder = key.split("/").slice(0, 2).join("/");
      return recent.respond(request, async () => ({
        file: await findPublishedFile(ctx, key),
        config,
        origin: `${config.contentUrl}${mediaPath}/${folder}/`,
        cacheControl: publicCacheControl,
      }));
    },
  };
}

/** `/api/assets/<purpose>/<id>/<seal>/<path>`: the whole path is signed, so a query string is rejected. */
export function readSigned(request: Request): { purpose: string; id: string; sealed: string; path: string } {
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

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300">' +
  '<rect width="400" height="300" fill="#f1f2ef"/><text x="200" y="156" fill="#565d66" font-size="22" ' +
  'font-family="system-ui,sans-serif" text-anchor="middle">File missing</text></svg>';

const page = (detail: string): string =>
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>File missing</title>' +
  `<p>${Bun.escapeHTML(detail)}</p>`;

/** What browsers show in place of a file that is gone: a picture in a page, a sentence in a tab of its own. */
const shownIn: Record<string, { type: string; bodyOf(detail: string): string }> = {
  image: { type: "image/svg+xml", bodyOf: () => picture },
  document: { type: "text/html; charset=utf-8", bodyOf: page },
  iframe: { type: "text/html; charset=utf-8", bodyOf: page },
};

/** Answers a 404 to a browser as it asks (Fetch Metadata, 2.1); programs get the problem document. */
async function orMissing(request: Request, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const shown = shownIn[request.headers.get("sec-fetch-dest") ?? ""];
    if (!(error instanceof Problem) || error.status !== 404 || !shown) throw error;
    return new Response(shown.bodyOf(error.detail), {
      status: 404,
      headers: {
        "content-type": shown.type,
        "content-security-policy": "sandbox; default-src 'none'",
        "cross-origin-resource-policy": "cross-origin",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      },
    });
  }
}
