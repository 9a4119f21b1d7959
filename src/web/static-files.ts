/**
 * Style, icon and scripts of the pages: embedded as text, scripts translated when they are first asked for,
 * all under one version.
 */
import { gzipFor } from "../lib/compression.ts";
import icon from "./icon.svg" with { type: "text" };
// @ts-expect-error a script of the browser, embedded as the text it is
import bulk from "./islands/bulk.ts" with { type: "text" };
// @ts-expect-error the same
import copy from "./islands/copy.ts" with { type: "text" };
// @ts-expect-error the same
import desk from "./islands/desk.ts" with { type: "text" };
// @ts-expect-error the same
import feed from "./islands/feed.ts" with { type: "text" };
// @ts-expect-error the same
import held from "./islands/held.ts" with { type: "text" };
// @ts-expect-error the same
import pdf from "./islands/pdf.ts" with { type: "text" };
// @ts-expect-error the same
import refresh from "./islands/refresh.ts" with { type: "text" };
// @ts-expect-error the same
import session from "./islands/session.ts" with { type: "text" };
// @ts-expect-error the same
import upload from "./islands/upload.ts" with { type: "text" };
// @ts-expect-error the same
import verdicts from "./islands/verdicts.ts" with { type: "text" };
// @ts-expect-error the same
import view from "./islands/view.ts" with { type: "text" };
import { readerFiles, readerVersion } from "./pdf-reader.ts";
import base from "./style/base.css" with { type: "text" };
import components from "./style/components.css" with { type: "text" };
import designStyle from "./style/design.css" with { type: "text" };
import deskStyle from "./style/desk.css" with { type: "text" };
import docsStyle from "./style/docs.css" with { type: "text" };
import feedStyle from "./style/feed.css" with { type: "text" };
import libraryStyle from "./style/library.css" with { type: "text" };
import projectStyle from "./style/projects.css" with { type: "text" };
import tokens from "./style/tokens.css" with { type: "text" };

/** A script may import another one by its name here, with `.js`; browsers load it as a module of its own. */
const islands = { bulk, copy, desk, feed, held, pdf, refresh, session, upload, verdicts, view };
export type ScriptName = `${keyof typeof islands}.js`;
export type AssetName = ScriptName | "style.css" | "icon.svg";

const types: Record<string, string> = {
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  js: "text/javascript; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
};

let texts: Map<string, string> | undefined;
let version = "";
/** What is sent, by name. */
const served = new Map<string, Uint8Array<ArrayBuffer>>();

function textsOf(): Map<string, string> {
  if (texts) return texts;
  const transpiler = new Bun.Transpiler({ loader: "ts", target: "browser", minifyWhitespace: true });
  texts = new Map([
    [
      "style.css",
      [tokens, base, components, feedStyle, projectStyle, libraryStyle, deskStyle, designStyle, docsStyle]
        .join("")
        .replace(/\/\*.*?\*\//gs, ""),
    ],
    ["icon.svg", icon],
    ...Object.entries(islands).map(
      ([name, text]) => [`${name}.js`, transpiler.transformSync(text as unknown as string)] as const,
    ),
  ]);
  version = Bun.hash([...texts.values(), readerVersion].join("\n"))
    .toString(36)
    .slice(0, 10);
  return texts;
}

const prefix = "/site/";

/**
 * Changes when any of them does, so that each can be kept for ever, and one never meets another of another
 * time.
 */
export function addressOf(name: AssetName): string {
  textsOf();
  return `${prefix}${version}/${name}`;
}

async function serve(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const known = served.get(name);
  if (known) return known;
  const text = textsOf().get(name);
  const file = Object.hasOwn(readerFiles, name) ? readerFiles[name] : undefined;
  if (text === undefined && file === undefined) return null;
  const body = text === undefined ? await Bun.file(file as string).bytes() : new TextEncoder().encode(text);
  served.set(name, body);
  return body;
}

export async function assetResponse(path: string, request: Request): Promise<Response | null> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const found = await serve(name);
  if (!found) return null;
  const { body, encoding } = gzipFor(request, found);
  const headers = {
    "content-type": types[name.split(".").at(-1) as string] as string,
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
    // A worker has the policy of its own script: that of the PDF reader may load its parts, and ask for
    // nothing.
    "content-security-policy": "default-src 'none'; script-src 'self'",
    ...encoding,
  };
  return new Response(body, { headers });
}
