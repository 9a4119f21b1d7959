/** @jsxImportSource preact */
/** Chooses two attempts to compare: versions of one asset, or what two runs made. */
import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { AttemptChain } from "../../overview/tasks/attempts.ts";
import { ComparePicker, choiceLabel } from "../desk/compare/pick.tsx";

/** Starts with the newest attempt and the newest one of another run. */
export function CompareAttempts({ chains }: { chains: AttemptChain[] }) {
  const newest = chains
    .flatMap(({ attempts }) => attempts)
    .toSorted((a, b) => (a.asset.created_at > b.asset.created_at ? -1 : 1));
  const [right, ...others] = newest;
  const left = others.find(({ run }) => run?.id !== right?.run?.id) ?? others[0];
  if (!right || !left) return null;
  const groups = chains.map(({ title, attempts }) => ({
    label: isolateBidi(title),
    options: attempts.toReversed().map(({ asset }) => ({ id: asset.id, label: choiceLabel(asset) })),
  }));
  return (
    <ComparePicker
      action={`/assets/${right.asset.id}`}
      groups={groups}
      left={left.asset.id}
      right={right.asset.id}
    />
  );
}
