/** Style, icon and scripts of the pages: embedded as text, scripts translated when they are first asked for, named by their content. */
import icon from "./icon.svg" with { type: "text" };
// @ts-expect-error a script of the browser, embedded as the text it is
import desk from "./islands/desk.ts" with { type: "text" };
// @ts-expect-error the same
import feed from "./islands/feed.ts" with { type: "text" };
// @ts-expect-error the same
import session from "./islands/session.ts" with { type: "text" };
// @ts-expect-error the same
import upload from "./islands/upload.ts" with { type: "text" };
import base from "./style/base.css" with { type: "text" };
import components from "./style/components.css" with { type: "text" };
import tokens from "./style/tokens.css" with { type: "text" };

/** A script may import another one by its name here; browsers load it as a module of its own. */
const sources = {
  "style.css": tokens + base + components,
  "icon.svg": icon,
  "feed.js": feed as unknown as string,
  "desk.js": desk as unknown as string,
  "upload.js": upload as unknown as string,
  "session.js": session as unknown as string,
};
export type AssetName = keyof typeof sources;

const types: Record<string, string> = { css: "text/css; charset=utf-8", svg: "image/svg+xml", js: "text/javascript; charset=utf-8" };

interface Served {
  body: Uint8Array<ArrayBuffer>;
  packed: Uint8Array<ArrayBuffer>;
  type: string;
  version: string;
}

const served = new Map<AssetName, Served>();

function serve(name: AssetName): Served {
  const known = served.get(name);
  if (known) return known;
  const extension = name.split(".").at(-1) as string;
  const text =
    extension === "js"
      ? new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true }).transformSync(sources[name])
      : sources[name];
  const body = new TextEncoder().encode(text);
  const made = { body, packed: Bun.gzipSync(body), type: types[extension] as string, version: Bun.hash(body).toString(36).slice(0, 10) };
  served.set(name, made);
  return made;
}

const prefix = "/site/";
export const assetRoute = `${prefix}*`;

/** Changes with the content, so that it can be kept for ever. */
export const addressOf = (name: AssetName): string => `${prefix}${serve(name).version}/${name}`;

export function assetResponse(path: string, request: Request): Response | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!Object.hasOwn(sources, name)) return null;
  const { body, packed, type } = serve(name as AssetName);
  const gzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const headers = {
    "content-type": type,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
  };
  return new Response(gzip ? packed : body, { headers: { ...headers, ...(gzip && { "content-encoding": "gzip" }) } });
}
