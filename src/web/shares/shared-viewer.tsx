/** @jsxImportSource preact */
/** The viewer of a share: that of the desk, with the label of its recipient. */
import type { ComponentProps } from "preact";
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { Viewer } from "../desk/viewer.tsx";
import { Icon } from "../icons/icons.tsx";

interface SharedViewerProps extends ComponentProps<typeof Viewer> {
  /** Whether its file exists. */
  isAvailable: boolean;
  /** Null if the file can be downloaded: then there is no watermark. */
  watermark: string | null;
}

/** A file that browsers do not show has a message instead. */
export const SharedViewer = ({ watermark, isAvailable, ...viewer }: SharedViewerProps) =>
  !isAvailable || viewer.asset.url || viewer.asset.bundle_url ? (
    <Viewer {...viewer} overlay={watermark === null ? undefined : <Watermark label={watermark} />} />
  ) : (
    <div class="viewer none">
      <Icon name="layers" />
      <p>Browsers can't show this type of file ({viewer.asset.mime}).</p>
    </div>
  );

/** Repeats the recipient's label, as a reminder of whose link it is. */
const Watermark = ({ label }: { label: string }) => (
  <div class="watermark" aria-hidden="true">
    {Array.from({ length: 12 }, (_, index) => (
      <span key={index}>{isolateBidi(label)}</span>
    ))}
  </div>
);
