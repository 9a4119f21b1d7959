/** The picture of an asset without a thumbnail, drawn when a page shows it. Only the beginning of a file is read. */
import type { VNode } from "preact";
import { extensionOfMime } from "../../../core/lib/mime-of-name.ts";
import { isModel } from "../../../files/probe/model/model-types.ts";
import { describeModel, loadModel, loadReadings } from "../../../library/assets/files/reading.ts";
import type { AssetDetail } from "../../../library/assets/schema.ts";
import { textLines, wholeText } from "../../annotations/text/text-lines.ts";
import { readText } from "../../desk/asset-text.ts";
import { loadDeskAsset } from "../../desk/guest.tsx";
import { formatIfDense } from "../../desk/text/formatted-data.ts";
import { readTable } from "../../desk/text/table.ts";
import { extensionOf, formatOf } from "../../desk/text/text-format.ts";
import { isText } from "../../desk/viewer.tsx";
import { formatBytes, formatMimeType } from "../../format.ts";
import type { View } from "../../view.ts";
import {
  CodeLines,
  drawPicture,
  FontLines,
  type PageLine,
  PageLines,
  TableLines,
  TypeLines,
  WaveLines,
} from "./picture.tsx";

/** An hour: a file never changes, but how it is drawn may, and it may be deleted. */
const drawnSeconds = 3600;
/** Of its type alone: what it contains may still be read. */
const typeSeconds = 60;
const headBytes = 8 * 1024;

export async function drawnPage(view: View): Promise<Response> {
  const asset = await loadDeskAsset(view);
  // Lists that do not know the thumbnail ask for this picture.
  if (asset.thumb_url) return new Response(null, { status: 302, headers: { location: asset.thumb_url } });
  const drawn = asset.missing ? null : await drawing(view, asset);
  const picture = asset.missing ? (
    <TypeLines type="—" lines={[asset.missing === "lost" ? "File missing" : "File deleted"]} />
  ) : (
    (drawn ?? <TypeLines {...describe(asset)} />)
  );
  return new Response(drawPicture(picture), {
    headers: {
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "x-content-type-options": "nosniff",
      "cache-control": asset.missing ? "no-store" : `private, max-age=${drawn ? drawnSeconds : typeSeconds}`,
    },
  });
}

/** Null for a file of which nothing but its type is known. */
async function drawing(view: View, asset: AssetDetail): Promise<VNode | null> {
  const { timeline, table, font } = (await loadReadings(view.ctx, [asset])).get(asset.id) ?? {};
  if (timeline?.peaks) return <WaveLines peaks={timeline.peaks} />;
  if (table) return <TableLines {...table} />;
  if (font?.sample) return <FontLines {...font.sample} name={font.name} />;
  if (isModel(asset)) {
    const model = await loadModel(view.ctx, asset);
    return model && <TypeLines type={describe(asset).type} lines={describeModel(model).split(", ")} />;
  }
  return isText(asset) ? drawText(view, asset) : null;
}

async function drawText(view: View, asset: AssetDetail): Promise<VNode | null> {
  const read = await readText(view.ctx, asset, headBytes);
  if (!read) return null;
  const { text } = read;
  if (asset.kind === "html") {
    const lines = await pageWords(text);
    return lines.length > 0 ? <PageLines lines={lines} /> : null;
  }
  const { form, language } = formatOf(asset, text);
  const table = form === "table" ? readTable(text.slice(0, text.lastIndexOf("\n") + 1) || text) : null;
  if (table) return <TableLines {...table} />;
  if (form === "page") return <PageLines lines={markdownWords(text)} />;
  const shown = form === "formatted" ? formatIfDense(text, language).text : text;
  const head = shown
    .split(/\r?\n/, 18)
    .map((line) => line.slice(0, 56))
    .join("\n");
  const lines = textLines({ text: head, isHtml: false, language, part: wholeText }, []);
  return <CodeLines lines={lines.map(({ parts }) => parts.flatMap(({ pieces }) => pieces))} />;
}

/** Neither fences of code nor the rules of tables are words. */
const markdownWords = (text: string) =>
  text
    .split(/\r?\n/)
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*(```|~~~)/.test(line))
    .map((line) => ({
      text: withoutBars(line).replace(/^[#>\s*-]+|[*`_]/g, ""),
      isHeading: /^#{1,6} /.test(line),
    }));

/** The cells of a row of a table, apart; every other line as it is. */
const withoutBars = (line: string): string =>
  line.trimStart().startsWith("|") ? line.replace(/^\s*\||\|\s*$/g, "").replace(/\s*\|\s*/g, " · ") : line;

function describe(asset: AssetDetail): { type: string; lines: string[] } {
  const extension = extensionOf({ url: asset.url, bundle_url: null });
  // The URL of a guest has no name.
  const named = /^[a-z\d]{1,8}$/.test(extension) ? extension : extensionOfMime(asset.mime);
  const type = (named ?? formatMimeType(asset.mime)).toUpperCase();
  const size = asset.width && asset.height ? [`${asset.width} × ${asset.height}`] : [];
  return { type, lines: [...size, formatBytes(asset.size)] };
}

const linesMax = 24;

/**
 * The headings and words of an HTML page. Nothing of it is run or loaded. A page that only scripts fill has
 * its title alone.
 */
async function pageWords(html: string): Promise<PageLine[]> {
  const lines: PageLine[] = [];
  let open: PageLine | null = null;
  let hidden = 0;
  const begin = (isHeading: boolean) => {
    open = { text: "", isHeading };
    lines.push(open);
  };
  const rewriter = new HTMLRewriter()
    .on("script, style, noscript, template, svg, select", {
      element(element) {
        hidden++;
        element.onEndTag(() => void hidden--);
      },
    })
    .on("title, h1, h2, h3", { element: () => begin(true) })
    .on("p, li, td, th, button, label, dt, dd, figcaption, pre, blockquote", { element: () => begin(false) })
    .on("span, div, small, br", {
      element() {
        if (open) open.text += " ";
      },
    })
    .on("title, h1, h2, h3, p, li, td, th, button, label, dt, dd, figcaption, pre, blockquote", {
      text({ text }) {
        if (open && hidden === 0 && open.text.length < 400) open.text += text;
      },
    });
  await rewriter.transform(new Response(html)).text();
  const found = lines
    .map(({ text, isHeading }) => ({ text: decode(text).replace(/\s+/g, " ").trim(), isHeading }))
    .filter(({ text }) => text !== "");
  // The title is often the first heading.
  const [title, ...others] = found;
  return (title ? [title, ...others.filter(({ text }) => text !== title.text)] : []).slice(0, linesMax);
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", apos: "'" };

const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w{2,6}));/gi, (entity, decimal, hex, name) =>
    name
      ? (entities[name] ?? entity)
      : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );
