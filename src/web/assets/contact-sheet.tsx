/** A contact sheet: every asset of a list as a numbered picture, uncropped, to look over and to print. */
import type { Asset } from "../../library/assets/schema.ts";
import type { Decision } from "../../library/verdicts/schema.ts";
import { bulkFilters, bulkUrl } from "../bulk-review/parameters.ts";
import { formatDuration, pluralize } from "../format.ts";
import { filtersOf } from "../view.ts";
import { deskUrl, ListedStatus } from "./asset.tsx";
import { Picture, withoutFile } from "./tiles.tsx";

interface ContactSheetProps {
  assets: Asset[];
  /** Of the versions that were replaced, by their ids. */
  verdicts: ReadonlyMap<string, Decision>;
  /** URL of the page, whose filters the review desk keeps. */
  url: URL;
  /** Named above the pictures, so that a printed sheet says what it shows. */
  filters: Record<string, string>;
}

export const ContactSheet = ({ assets, verdicts, url, filters }: ContactSheetProps) => (
  <>
    <p class="soft">
      {[...Object.entries(filters).map((filter) => filter.join(" ")), pluralize(assets.length, "asset")].join(
        ", ",
      )}
    </p>
    {assets.some(({ status }) => status === "pending") && (
      <p>
        <a class="button" href={bulkUrl(filtersOf(url, bulkFilters))}>
          Review by what changed
        </a>
      </p>
    )}
    <ol class="contact-sheet" data-contact-sheet>
      {assets.map((asset, index) => (
        <li key={asset.id}>
          <a href={deskUrl(asset, url)}>
            <SheetPicture asset={asset} />
            <span class="sheet-title">
              <b>{index + 1}</b> <bdi>{asset.title}</bdi>
            </span>
          </a>
          <p class="soft">
            <ListedStatus status={asset.status} verdict={verdicts.get(asset.id)} /> v{asset.version}
            {asset.duration_ms !== null && ` · ${formatDuration(asset.duration_ms)}`}
          </p>
        </li>
      ))}
    </ol>
  </>
);

function SheetPicture({ asset }: { asset: Asset }) {
  return (
    <span class="sheet-picture">
      {asset.url === null ? <span class="soft">{withoutFile(asset)}</span> : <Picture asset={asset} />}
    </span>
  );
}

/** Works only with scripts, so it is hidden until the script shows it. */
export const PrintButton = () => (
  <button type="button" data-print hidden>
    Print
  </button>
);
