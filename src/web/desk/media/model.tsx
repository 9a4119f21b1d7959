/** @jsxImportSource preact */
/** The viewer of 3D models: a frame with the page that shows it, which has its own policy. */
import { modelPath } from "../../models/model-page.tsx";
import type { MediaProps } from "./media.tsx";

export const ModelViewer = ({ label, asset }: Pick<MediaProps, "label" | "asset">) => (
  <div class="viewer page model-frame">
    <iframe src={modelPath(asset.id)} title={label} />
    <p class="toolbar">
      <a href={modelPath(asset.id)}>Open on its own page</a>
    </p>
  </div>
);
