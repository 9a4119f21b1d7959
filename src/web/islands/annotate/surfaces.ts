/** The areas of a viewer that places are marked on, and what each adds to a place: its page, time or width. */
import { formatTime } from "../media/play-time.js";
import { frameOf } from "./frame-rate.js";

export interface Surface {
  /** Covers exactly the picture; layers are laid over it. */
  host: HTMLElement;
  /** Fields of the annotation form. */
  fields(): Record<string, string>;
}

export function surfacesOf(viewer: HTMLElement): Surface[] {
  const marked = viewer.querySelector<HTMLElement>(".marked");
  switch (viewer.dataset.kind) {
    case "image": {
      const host = marked?.querySelector<HTMLElement>(".layers");
      return host ? [{ host, fields: () => ({}) }] : [];
    }
    case "video":
      return marked ? [videoSurface(marked)] : [];
    case "html":
      return [...viewer.querySelectorAll<HTMLElement>(".marked")].map(frameSurface);
    default:
      return [...viewer.querySelectorAll<HTMLElement>(".sheet.drawn")].map(sheetSurface);
  }
}

export const sheetSurface = (host: HTMLElement): Surface => ({
  host,
  fields: () => ({ page: host.dataset.page ?? "" }),
});

/** A sandboxed page cannot be looked into: its place is that in the frame, at the frame's size. */
function frameSurface(host: HTMLElement): Surface {
  const frame = host.querySelector("iframe") as HTMLIFrameElement;
  return {
    host,
    fields: () => ({ viewport_w: String(frame.clientWidth), viewport_h: String(frame.clientHeight) }),
  };
}

function videoSurface(marked: HTMLElement): Surface {
  const video = marked.querySelector("video") as HTMLVideoElement;
  return { host: pictureBox(marked, video), fields: () => timeFields(video) };
}

/** `from`, and the frame if the rate is known. */
export function timeFields(player: HTMLMediaElement): Record<string, string> {
  player.pause();
  const { seconds, ...frame } = frameOf(player);
  return { from: formatTime(seconds), ...frame };
}

/** An element over the picture of a video, without the bars beside it. */
function pictureBox(marked: HTMLElement, video: HTMLVideoElement): HTMLElement {
  const known = marked.querySelector<HTMLElement>(".picture-box");
  if (known) return known;
  const box = document.createElement("div");
  box.className = "picture-box";
  const fit = () => {
    const { clientWidth, clientHeight, videoWidth, videoHeight } = video;
    if (!videoWidth) return;
    const scale = Math.min(clientWidth / videoWidth, clientHeight / videoHeight);
    const [width, height] = [videoWidth * scale, videoHeight * scale];
    Object.assign(box.style, {
      left: `${(clientWidth - width) / 2}px`,
      top: `${(clientHeight - height) / 2}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
  };
  new ResizeObserver(fit).observe(video);
  video.addEventListener("loadedmetadata", fit);
  marked.append(box);
  fit();
  return box;
}
