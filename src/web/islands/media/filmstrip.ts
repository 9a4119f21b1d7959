/** The filmstrip of a video: pictures at equal distances, which a second player of the same file seeks to. */

const heightPx = 56;
/** A picture that takes longer is left out. */
const seekMs = 8_000;

const isOnce = (target: EventTarget, kind: string): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), seekMs);
    target.addEventListener(
      kind,
      () => {
        clearTimeout(timer);
        resolve(true);
      },
      { once: true },
    );
  });

/** Draws into a canvas in front of the track, picture by picture. Nothing is drawn of a video that fails. */
export async function drawFilmstrip(track: HTMLElement, video: HTMLVideoElement): Promise<void> {
  const source = document.createElement("video");
  Object.assign(source, { muted: true, playsInline: true, preload: "auto", src: video.src });
  const isLoaded = await isOnce(source, "loadeddata");
  const { videoWidth, videoHeight, duration } = source;
  if (isLoaded && videoWidth > 0 && Number.isFinite(duration)) {
    const canvas = document.createElement("canvas");
    canvas.className = "filmstrip";
    canvas.setAttribute("aria-hidden", "true");
    const scale = devicePixelRatio;
    canvas.height = heightPx * scale;
    canvas.width = Math.max(1, track.clientWidth) * scale;
    track.prepend(canvas);
    const each = Math.min(
      canvas.width,
      Math.max(heightPx / 2, (heightPx * videoWidth) / videoHeight) * scale,
    );
    const count = Math.ceil(canvas.width / each);
    for (let at = 0; at < count; at++) {
      const middle = Math.min(canvas.width, (at + 0.5) * each);
      source.currentTime = (middle / canvas.width) * duration;
      if (await isOnce(source, "seeked"))
        canvas.getContext("2d")?.drawImage(source, at * each, 0, each, canvas.height);
    }
    canvas.dataset.drawn = String(count);
  }
  // Ends its download.
  source.removeAttribute("src");
  source.load();
}
