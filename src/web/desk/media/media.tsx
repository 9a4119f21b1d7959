/** @jsxImportSource preact */
/** What the viewers of all kinds share. */
import type { Asset } from "../../../library/assets/schema.ts";
import type { ShownPins } from "../../annotations/pins.tsx";
import { Icon, type IconName } from "../../icons/icons.tsx";

export interface MediaProps {
  src: string;
  label: string;
  asset: Asset;
  pins: ShownPins;
}

export const Tool = ({ icon, name, act }: { icon: IconName; name: string; act: string }) => (
  <button type="button" data-act={act} aria-label={name} title={name}>
    <Icon name={icon} />
  </button>
);

export const OpenFile = ({ asset, url }: { asset: Asset; url: string }) => (
  <a class="button" href={url}>
    {asset.kind === "pdf" ? "Open PDF" : "Download file"}
  </a>
);
