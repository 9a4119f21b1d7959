/** What a browser draws of a file: an image, a video, or a PDF by pdf.js. */
import { join } from "node:path";
import { repositoryRoot } from "../repository.ts";
import { openBrowser } from "./browser.ts";

const site = "http://shown.test";
const types = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  mp4: "video/mp4",
  webm: "video/webm",
};

/** Draws in the page of a browser; the result is a data URL. */
export type Draw = (url: string) => Promise<string>;

export interface Viewer {
  /** Returns a PNG of what the browser draws of a file. */
  draw(name: string, bytes: Uint8Array, draw: Draw): Promise<Uint8Array>;
  close(): Promise<void>;
}

export async function openViewer(): Promise<Viewer> {
  const page = await (await openBrowser()).newPage();
  const files = new Map<string, Uint8Array>();
  await page.route(`${site}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice(1);
    const file = path.startsWith("pdfjs/")
      ? await Bun.file(join(repositoryRoot, "node_modules/pdfjs-dist/build", path.slice(6))).bytes()
      : files.get(path);
    const contentType = path.endsWith("mjs")
      ? "text/javascript"
      : (types[path.split(".").at(-1) as keyof typeof types] ?? "text/html");
    await route.fulfill({ body: Buffer.from(file ?? "<!doctype html>"), contentType });
  });
  await page.goto(site);
  return {
    async draw(name, bytes, draw) {
      const path = `${crypto.randomUUID()}.${name}`; // an image of the same URL is not loaded again
      files.set(path, bytes);
      const url = await page.evaluate(draw, `${site}/${path}`);
      return Buffer.from(url.slice(url.indexOf(",")), "base64");
    },
    close: () => page.close(),
  };
}

/** An image. */
export const drawImage: Draw = async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {
    width: image.naturalWidth,
    height: image.naturalHeight,
  });
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return canvas.toDataURL();
};

/** The first frame of a video. */
export const drawVideo: Draw = async (url) => {
  const video = document.createElement("video");
  const ready = new Promise((resolve, reject) => {
    video.onloadeddata = resolve;
    video.onerror = () => reject(video.error);
  });
  video.src = url;
  await ready;
  const canvas = Object.assign(document.createElement("canvas"), {
    width: video.videoWidth,
    height: video.videoHeight,
  });
  const paper = canvas.getContext("2d") as CanvasRenderingContext2D;
  // Its first frame can be loaded before it can be drawn.
  while (paper.getImageData(0, 0, 1, 1).data[3] === 0) {
    await new Promise(requestAnimationFrame);
    paper.drawImage(video, 0, 0);
  }
  return canvas.toDataURL();
};

/** The first page of a PDF, by pdf.js. */
export const drawPage: Draw = async (url) => {
  const { getDocument, GlobalWorkerOptions } = await import(`${location.origin}/pdfjs/pdf.min.mjs`);
  GlobalWorkerOptions.workerSrc = "/pdfjs/pdf.worker.min.mjs";
  const shown = await (await getDocument({ url }).promise).getPage(1);
  const viewport = shown.getViewport({ scale: 1 });
  const canvas = Object.assign(document.createElement("canvas"), {
    width: Math.round(viewport.width),
    height: Math.round(viewport.height),
  });
  await shown.render({ canvas, canvasContext: canvas.getContext("2d"), viewport }).promise;
  return canvas.toDataURL();
};
