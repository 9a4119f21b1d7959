/** The page of a 3D model: loads model-viewer, says how far it is, and runs its bar. */
import { showTools } from "./tools.js";

/** The part of model-viewer that is used here. */
interface Scene extends HTMLElement {
  availableAnimations: string[];
  animationName: string | null;
  paused: boolean;
  play(): void;
  pause(): void;
  zoom(steps: number): void;
  resetTurntableRotation(): void;
  jumpCameraToGoal(): void;
  cameraOrbit: string;
  cameraTarget: string;
  fieldOfView: string;
}

const scene = document.querySelector<Scene>("model-viewer");
const state = document.querySelector<HTMLElement>("[data-model-state]");
const bar = document.querySelector<HTMLElement>("[data-model-bar]");

function say(text: string): void {
  if (!state) return;
  state.textContent = text;
  state.hidden = text === "";
}

/** Says why there is no model to see, and offers its file. */
function fail(scene: Scene, text: string): void {
  const link = document.createElement("a");
  Object.assign(link, { className: "button", target: "_top", textContent: "Download file" });
  link.href = scene.getAttribute("src") ?? "";
  const line = document.createElement("p");
  line.className = "model-state";
  line.append(link);
  scene.replaceWith(line);
  say(`${text} Download it to review it.`);
  document.body.dataset.model = "failed";
}

function showBar(scene: Scene, bar: HTMLElement): void {
  const names = scene.availableAnimations;
  const play = bar.querySelector<HTMLElement>('[data-act="play"]') as HTMLElement;
  const select = bar.querySelector("select") as HTMLSelectElement;
  play.hidden = names.length === 0;
  select.hidden = names.length < 2;
  select.replaceChildren(...names.map((name) => new Option(name || "Unnamed", name)));
  select.addEventListener("change", () => {
    scene.animationName = select.value;
  });
  const toggle = () => {
    if (scene.paused) scene.play();
    else scene.pause();
    play.setAttribute("aria-pressed", String(!scene.paused));
  };
  const reset = () => {
    Object.assign(scene, { cameraOrbit: "auto auto auto", cameraTarget: "auto auto auto" });
    scene.fieldOfView = "auto";
    scene.jumpCameraToGoal();
  };
  showTools(bar, { in: () => scene.zoom(2), out: () => scene.zoom(-2), reset, play: toggle });
}

/** Without it, model-viewer shows nothing, and says nothing. */
const hasWebGl = (): boolean => document.createElement("canvas").getContext("webgl2") !== null;

if (scene && !hasWebGl()) fail(scene, "Your browser has no WebGL, so it cannot show this 3D model.");
else if (scene && bar) {
  scene.replaceChildren();
  say("Loading the model…");
  scene.addEventListener(
    "load",
    () => {
      say("");
      showBar(scene, bar);
      document.body.dataset.model = "shown";
    },
    { once: true },
  );
  scene.addEventListener("error", () => {
    fail(scene, "The viewer cannot show this model.");
  });
  const baseUrl = new URL("./", import.meta.url).href;
  Object.assign(window, { ModelViewerElement: { meshoptDecoderLocation: `${baseUrl}meshopt.js` } });
  await import(`${baseUrl}model-viewer.min.js`).catch(() =>
    fail(scene, "The viewer of 3D models could not be loaded."),
  );
}
