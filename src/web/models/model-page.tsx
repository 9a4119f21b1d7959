/**
 * A 3D model on a page of its own, which the review desk shows in a frame: model-viewer adds style elements
 * and reads textures from `blob:` URLs, so this page alone has a wider Content-Security-Policy.
 */
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import type { Config } from "../../core/config.ts";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { notFound } from "../../core/problem.ts";
import { isModel } from "../../files/probe/model/model-types.ts";
import { loadModel, modelProblem } from "../../library/assets/files/reading.ts";
import type { AssetDetail } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import { Tool } from "../desk/media/media.tsx";
import { staticUrl } from "../static-files.ts";
import { callOperation, type View } from "../view.ts";

export const modelPath = (id: string): string => `/assets/${id}/model`;

/** @throws {Problem} 404 for an asset that is no model, or has no file */
export async function modelPage(view: View): Promise<Response> {
  const asset = await callOperation<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  if (!isModel(asset) || !asset.url) throw notFound("This asset is not a 3D model, or its file is deleted.");
  const problem = modelProblem(await loadModel(view.ctx, asset));
  const body = renderToString(<ModelDocument asset={asset} url={asset.url} problem={problem} />);
  return new Response(`<!doctype html>${body}`, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(view.ctx.config),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
}

function policyOf({ contentUrl, siteUrl }: Config): string {
  const sources = `'self'${contentUrl === siteUrl ? "" : ` ${contentUrl}`} blob: data:`;
  return [
    "default-src 'none'",
    // It contains the decoder of meshopt, which is WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    `connect-src ${sources}`,
    `img-src ${sources}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

interface ModelProps {
  asset: AssetDetail;
  url: string;
  /** Why the viewer cannot show it. */
  problem: string | null;
}

function ModelDocument({ asset, url, problem }: ModelProps) {
  const title = isolateBidi(asset.title);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title}, version ${asset.version} · svc`}</title>
        <link rel="icon" href={staticUrl("icon.svg")} type="image/svg+xml" />
        <link rel="stylesheet" href={staticUrl("style.css")} />
        {!problem && <script type="module" src={staticUrl("model.js")} />}
      </head>
      <body class="model">
        <h1 class="visually-hidden">{title}</h1>
        <p class="model-state" role="status" data-model-state hidden={!problem}>
          {problem}
        </p>
        {problem ? <Download url={url} /> : <Scene label={title} url={url} />}
      </body>
    </html>
  );
}

/** A custom element of model-viewer: its content is shown without scripts. */
const Scene = ({ label, url }: { label: string; url: string }) => (
  <>
    {h(
      "model-viewer",
      {
        src: url,
        alt: label,
        "camera-controls": true,
        "interaction-prompt": "none",
        "shadow-intensity": "1",
        "environment-image": "neutral",
        "touch-action": "pan-y",
      },
      <>
        <p class="model-state">The 3D view needs scripts.</p>
        <Download url={url} />
      </>,
    )}
    <p class="toolbar" data-model-bar hidden>
      <Tool icon="minus" name="Zoom out" act="out" />
      <Tool icon="plus" name="Zoom in" act="in" />
      <Tool icon="fit" name="Reset the view" act="reset" />
      <button type="button" data-act="play" aria-pressed="false" hidden>
        Play animation
      </button>
      <select aria-label="Animation" hidden />
    </p>
  </>
);

const Download = ({ url }: { url: string }) => (
  <p class="model-state">
    <a class="button" href={url} target="_top">
      Download file
    </a>
  </p>
);
