/** Thumbnails of HTML pages: a browser takes a screenshot, and a child scales it. */
import { chown } from "node:fs/promises";
import { findProgram } from "../helper-programs.ts";
import type { PageFiles } from "../port.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource } from "../source.ts";
import { type ImageTools, renderImage } from "../thumbnails/thumbnail.ts";
import { browserCommand, capturePage } from "./screenshot.ts";

/** The unprivileged user of Unix systems: browsers do not start as root with their sandbox. */
const unprivilegedId = 65534;

/** Null if no browser is installed, or if it does not work. */
export async function makePageThumbnail(tools: ImageTools, page: PageFiles): Promise<Uint8Array | null> {
  const program = findProgram("chromium", tools.path);
  if (!program) return null;
  const png = await withTempFolder(async (folder) => {
    const command = browserCommand(program, folder);
    const words = process.getuid?.() === 0 ? await asUnprivilegedUser(command, folder) : command;
    return tools.run(words, folder, "page", (browser) => capturePage(browser, page));
  });
  if (!png) return null;
  const job = { work: "thumbnail", size: png.length, mime: "image/png" } as const;
  return renderImage(tools, bytesSource(png), job);
}

async function asUnprivilegedUser(command: string[], folder: string): Promise<string[]> {
  const setpriv = Bun.which("setpriv");
  if (!setpriv) return command;
  await chown(folder, unprivilegedId, unprivilegedId);
  // A change of the user clears the signal that is sent when the parent dies.
  const flags = `--pdeathsig KILL --reuid=${unprivilegedId} --regid=${unprivilegedId} --clear-groups`.split(
    " ",
  );
  return [setpriv, ...flags, ...command];
}
