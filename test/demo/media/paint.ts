/** From a page of HTML to the bytes of a picture: Chromium draws it, ffmpeg makes it small. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { temporaryFolder } from "../../support/harness.ts";

export interface Sheet {
  html: string;
  /** In CSS pixels. */
  width: number;
  height: number;
  scale?: number;
}

export const fonts = "font-family: 'Open Sans', 'Liberation Sans', 'DejaVu Sans', sans-serif";

export async function shoot(
  browser: Browser,
  { html, width, height, scale = 1 }: Sheet,
): Promise<Uint8Array> {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: scale });
  const reset = `*{box-sizing:border-box;margin:0}html,body{width:${width}px;height:${height}px;overflow:hidden}body{${fonts}}`;
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${reset}</style>${html}`);
  const bytes = await page.screenshot({ type: "png" });
  await page.close();
  return bytes;
}

/** With a palette of 256 colors: a quarter of the bytes, and flat drawings do not show it. */
export const png = async (browser: Browser, sheet: Sheet): Promise<Uint8Array> =>
  ffmpeg({ "in.png": await shoot(browser, sheet) }, [
    ...[
      "-i",
      "in.png",
      "-vf",
      "split[a][b];[a]palettegen=max_colors=256:reserve_transparent=0[p];[b][p]paletteuse=dither=none",
    ],
    ...["-compression_level", "9", "out.png"],
  ]);

export const webp = async (browser: Browser, sheet: Sheet): Promise<Uint8Array> =>
  ffmpeg({ "in.png": await shoot(browser, sheet) }, [
    "-i",
    "in.png",
    "-c:v",
    "libwebp",
    "-quality",
    "84",
    "-compression_level",
    "6",
    "out.webp",
  ]);

/** Runs it in a folder that holds `files`; the last argument names what it makes. */
export async function ffmpeg(
  files: Record<string, Uint8Array | string>,
  args: string[],
): Promise<Uint8Array> {
  await using folder = await temporaryFolder();
  for (const [name, bytes] of Object.entries(files)) await Bun.write(join(folder.path, name), bytes);
  // Nothing of when and by what it was made: the same drawing is the same file.
  const plain = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags", "+bitexact"];
  const command = ["ffmpeg", "-v", "error", "-y", ...args.slice(0, -1), ...plain, args.at(-1) as string];
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: folder.path });
  if (exitCode !== 0) throw new Error(`ffmpeg: ${stderr}`);
  return await Bun.file(join(folder.path, args.at(-1) as string)).bytes();
}
