/** Documents that are the same for everybody: made once, when they are first asked for, and known again by their bytes (RFC 9110, 13). */

export type Answer = (request: Request) => Promise<Response>;

export interface DocumentOptions {
  type: string;
  headers?: Record<string, string>;
}

export function served(make: () => string | Promise<string>, { type, headers: more = {} }: DocumentOptions): Answer {
  let made: { text: string; etag: string } | undefined;
  return async (request) => {
    if (!made) {
      const text = await make();
      made = { text, etag: `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 27)}"` };
    }
    const { etag, text } = made;
    const headers = {
      ...{ etag, "content-type": type, "cache-control": "public, max-age=3600" },
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "ETag, Link",
      "x-content-type-options": "nosniff",
      ...more,
    };
    const tags = request.headers.get("if-none-match")?.split(",") ?? [];
    return tags.some((tag) => tag.trim().replace(/^W\//, "") === etag)
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers });
  };
}

export const json = (make: () => unknown, type = "application/json", headers: Record<string, string> = {}): Answer =>
  served(() => JSON.stringify(make()), { type, headers });

export const plain = (make: () => string | Promise<string>, type = "text/plain; charset=utf-8"): Answer => served(make, { type });
