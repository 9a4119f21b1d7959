/** Switches between an HTML page and its source, in which quotes are marked. */
import type { Asset } from "../../library/assets/schema.ts";
import { urlWith } from "../view.ts";
import { sourceMode } from "./text/shown-text.ts";

export const showsSource = (url: URL, { kind }: Asset): boolean =>
  kind === "html" && url.searchParams.get("mode") === sourceMode;

export function SourceTabs({ asset, url }: { asset: Asset; url: URL }) {
  if (asset.kind !== "html" || !asset.url) return null;
  const tabs = [
    { label: "Page", mode: null, isShown: !showsSource(url, asset) },
    { label: "Source", mode: sourceMode, isShown: showsSource(url, asset) },
  ];
  return (
    <nav class="tabs" aria-label="View">
      {tabs.map(({ label, mode, isShown }) => (
        <a key={label} href={urlWith(url, { mode })} data-desk aria-current={isShown ? "true" : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
