/** What browsers show in place of a file that is gone: a picture in a page, a sentence in a tab of its own. */
import { Problem } from "../../../core/problem.ts";

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300">' +
  '<rect width="400" height="300" fill="#f1f2ef"/><text x="200" y="156" fill="#565d66" font-size="22" ' +
  'font-family="system-ui,sans-serif" text-anchor="middle">File missing</text></svg>';

const page = (detail: string): string =>
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>File missing</title>' +
  `<p>${Bun.escapeHTML(detail)}</p>`;

const shownIn: Record<string, { type: string; bodyOf(detail: string): string }> = {
  image: { type: "image/svg+xml", bodyOf: () => picture },
  document: { type: "text/html; charset=utf-8", bodyOf: page },
  iframe: { type: "text/html; charset=utf-8", bodyOf: page },
};

/** Answers a 404 to a browser as it asks (Fetch Metadata, 2.1); programs get the problem document. */
export async function orMissing(request: Request, answer: () => Promise<Response>): Promise<Response> {
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
