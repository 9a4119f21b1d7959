/**
 * Screenshots of HTML pages, and of SVG images as pages show them, by a browser of this machine. The page
 * gets its own files, from this process, and nothing else: no network, no file of this machine.
 */
import { chown } from "node:fs/promises";
import { encodeKey } from "../../stores/keys.ts";
import { type Size, scaledSize } from "../geometry.ts";
import { findProgram } from "../helper-programs.ts";
import { limits } from "../limits.ts";
import type { FileSource, PageFiles } from "../port.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import type { SandboxedProcess } from "../sandbox/sandboxed-process.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { DevTools } from "./devtools.ts";

/** The unprivileged user of Unix systems: browsers do not start as root with their sandbox. */
const unprivilegedId = 65534;

interface Screen extends Size {
  deviceScaleFactor: number;
  /** A page that is drawn by scripts gets a moment after it loads. */
  settleMs: number;
  isTransparent: boolean;
}

/** Of a laptop; the picture is scaled to a thumbnail. */
const laptop: Screen = {
  width: 1280,
  height: 960,
  deviceScaleFactor: 0.5,
  settleMs: 500,
  isTransparent: false,
};

/** Returns a PNG of the page; null if no browser is installed, or if it does not work. */
export async function capturePage(
  tools: ImageTools,
  page: PageFiles,
  screen: Screen = laptop,
): Promise<Uint8Array | null> {
  const program = findProgram("chromium", tools.path);
  if (!program) return null;
  return withTempFolder(async (folder) => {
    const command = browserCommand(program, folder);
    const words = process.getuid?.() === 0 ? await asUnprivilegedUser(command, folder) : command;
    return tools.run(words, folder, "page", (browser) => capture(browser, page, screen));
  });
}

const drawing = "drawing.svg";
const drawingPage =
  "<!doctype html><style>body{margin:0}img{display:block;width:100vw;height:100vh}</style>" +
  `<img src="${drawing}">`;
/** Of an image that has none (CSS 2.2, section 10.3.2). */
const defaultSize: Size = { width: 300, height: 150 };

/** A PNG of an SVG, without the files and scripts that it names. @param side of the longer one, in pixels */
export async function captureDrawing(
  tools: ImageTools,
  source: FileSource,
  { width, height }: { width: number | null; height: number | null },
  side: number,
): Promise<Uint8Array | null> {
  if (source.size > limits.pageBytes) return null;
  const size = scaledSize(width && height ? { width, height } : defaultSize, { min: side, max: side });
  const read = async (path: string) =>
    path === drawing
      ? { bytes: await source.read(0, source.size), mime: "image/svg+xml" }
      : path === ""
        ? { bytes: Buffer.from(drawingPage), mime: "text/html" }
        : null;
  const screen = { ...size, deviceScaleFactor: 1, settleMs: 0, isTransparent: true };
  return capturePage(tools, { index: "", read }, screen);
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

/** A host that no resolver knows (RFC 2606, section 2). */
const origin = "http://page.invalid";
/** A page that still loads is shown as it is then. */
const loadMs = 5_000;

/**
 * Requests that the protocol does not intercept, such as those of sockets, go to a proxy that is not there:
 * no host can be resolved, that of the proxy included.
 */
const flags = [
  ...["--headless", "--remote-debugging-pipe", "--hide-scrollbars", "--mute-audio", "--no-first-run"],
  ...["--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:1"],
  ...["--proxy-bypass-list=<-loopback>", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"],
  ...["--js-flags=--jitless", "--renderer-process-limit=1", "--disable-gpu", "--disable-dev-shm-usage"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ...["--disable-extensions", "--disable-breakpad", "--disable-crash-reporter", "--no-default-browser-check"],
];

/** Its pipes are descriptors 3 and 4, and ours 0 and 1. */
const withPipes = 'exec "$0" "$@" 3<&0 4>&1 >/dev/null';

/** @param folder for its profile */
export const browserCommand = (program: string, folder: string): string[] => [
  ...["/bin/sh", "-c", withPipes, program, ...flags, `--user-data-dir=${folder}/profile`],
];

async function capture(
  browser: SandboxedProcess,
  page: PageFiles,
  { settleMs, isTransparent, ...viewport }: Screen,
): Promise<Uint8Array | null> {
  const devTools = new DevTools(browser);
  void devTools.receive();
  const target = await devTools.send("Target.createTarget", { url: "about:blank" });
  const attached = target && (await devTools.send("Target.attachToTarget", { ...target, flatten: true }));
  if (!attached) return null;
  devTools.sessionId = String(attached.sessionId);
  answerRequests(devTools, page);
  const { promise: loaded, resolve } = Promise.withResolvers<void>();
  devTools.on("Page.loadEventFired", () => resolve());
  await devTools.send("Page.enable");
  await devTools.send("Emulation.setDeviceMetricsOverride", {
    ...viewport,
    mobile: false,
  });
  if (isTransparent)
    await devTools.send("Emulation.setDefaultBackgroundColorOverride", { color: { r: 0, g: 0, b: 0, a: 0 } });
  if (!(await devTools.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }))) return null;
  await devTools.send("Page.navigate", { url: `${origin}/${encodeKey(page.index)}` });
  await Promise.race([loaded, Bun.sleep(loadMs)]);
  await Bun.sleep(settleMs);
  const shot = await devTools.send("Page.captureScreenshot", { format: "png" });
  const png = typeof shot?.data === "string" ? Buffer.from(shot.data, "base64") : null;
  return png && png.length <= limits.stillBytes ? png : null;
}

/** The policy that uploaded pages have everywhere: their own files, in an origin of their own. */
const contentSecurityPolicy =
  `sandbox allow-scripts; default-src ${origin} 'unsafe-inline' 'unsafe-eval' data: blob:; ` +
  "form-action 'none'; base-uri 'none'; frame-src 'none'; worker-src blob:";

/** Answers every request: with a file of the page, or with an error. */
function answerRequests(devTools: DevTools, page: PageFiles): void {
  let bytesLeft: number = limits.pageBytes;

  async function fileOf({ url }: { url: string }) {
    const { origin: from, pathname } = new URL(url);
    if (from !== origin || bytesLeft <= 0) return null;
    const file = await page.read(decodeURIComponent(pathname.slice(1)));
    bytesLeft -= file?.bytes.length ?? 0;
    return bytesLeft < 0 ? null : file;
  }

  devTools.on("Fetch.requestPaused", async ({ requestId, request }) => {
    const file = await fileOf(request as { url: string }).catch(() => null);
    if (!file) return void devTools.send("Fetch.failRequest", { requestId, errorReason: "AccessDenied" });
    const headers = {
      "content-type": file.mime,
      "content-security-policy": contentSecurityPolicy,
      "access-control-allow-origin": "*",
    };
    void devTools.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: 200,
      responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
      body: Buffer.from(file.bytes).toString("base64"),
    });
  });
}
