/** A variant set as one thing in lists of assets: a contact sheet with its count and state. */
import type { Asset } from "../../library/assets/schema.ts";
import { variantsText } from "../../library/review-queue/text.ts";
import type { SetStatus } from "../../library/rows.ts";
import { setPath } from "../../memory/set-ref.ts";
import { KindIcon, Status } from "../assets/asset.tsx";
import { Picture } from "../assets/tiles.tsx";

const shownMax = 4;

/** The first variants in two rows, with the number of all. */
const SetSheet = ({ variants, count }: { variants: readonly Asset[]; count: number }) => (
  <span class="set-sheet">
    {variants.slice(0, shownMax).map((asset) => (
      <span key={asset.id}>{asset.url ? <Picture asset={asset} /> : <KindIcon kind={asset.kind} />}</span>
    ))}
    <span class="badge">{count}</span>
  </span>
);

interface SetCardProps {
  project: string;
  set: string;
  variants: readonly Asset[];
  /** How many of its variants have which status, as far as known. */
  statuses: readonly SetStatus[];
}

export function SetCard({ project, set, variants, statuses }: SetCardProps) {
  const count = statuses.reduce((sum, one) => sum + one.count, 0);
  return (
    <li class="tile set-card">
      <a href={setPath(project, set)}>
        <SetSheet variants={variants} count={count} />
        <bdi class="tile-title">{set}</bdi>
      </a>
      <p class="soft">
        <span>{variantsText(count)}:</span>
        {statuses.map((one) => (
          <span key={one.status}>
            {one.count} <Status status={one.status} />
          </span>
        ))}
      </p>
    </li>
  );
}
