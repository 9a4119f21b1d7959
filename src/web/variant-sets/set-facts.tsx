/** What the variants of a set were made for, in which runs, by whom, and when: each of it once. */
import { Problem } from "../../core/problem.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { getAssetRun } from "../../overview/operations/runs.ts";
import type { RunDetail } from "../../overview/runs/schema.ts";
import { Actor } from "../actor.tsx";
import { hasScope } from "../layout.tsx";
import { runUrl, taskName, taskUrl } from "../runs/links.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";

/** A set is usually made in one run, for one task. */
const shownMax = 3;

const uniqueBy = (variants: readonly Asset[], keyOf: (asset: Asset) => string | null): Asset[] => [
  ...new Map(
    variants.flatMap((asset) => {
      const key = keyOf(asset);
      return key === null ? [] : [[key, asset] as const];
    }),
  ).values(),
];

export interface SetRuns {
  shown: RunDetail[];
  count: number;
}

/** The runs that made the variants, as far as their events are there and may be read. */
export async function loadSetRuns(view: View, variants: readonly Asset[]): Promise<SetRuns> {
  const made = uniqueBy(variants, ({ run_id }) => run_id ?? null);
  if (!hasScope(view, "feed:read")) return { shown: [], count: 0 };
  const runs = await Promise.all(
    made.slice(0, shownMax).map(({ id }) =>
      callOperation<RunDetail>(view, getAssetRun, { id }).catch((error) => {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
      }),
    ),
  );
  return { shown: runs.filter((run) => run !== null), count: made.length };
}

export function SetFacts({ variants, runs }: { variants: readonly Asset[]; runs: SetRuns }) {
  const tasks = uniqueBy(variants, taskUrl);
  const makers = uniqueBy(variants, ({ created_by }) => created_by);
  const newest = variants.at(-1);
  return (
    <dl class="set-facts">
      {tasks.length > 0 && (
        <Fact name="For" count={tasks.length}>
          {tasks.slice(0, shownMax).map((asset) => (
            <a key={asset.id} href={taskUrl(asset) ?? ""}>
              {taskName(asset)}
            </a>
          ))}
        </Fact>
      )}
      {runs.shown.length > 0 && (
        <Fact name={runs.count === 1 ? "Run" : "Runs"} count={runs.count}>
          {runs.shown.map((run) => (
            <a key={run.id} href={runUrl(run)}>
              <bdi>{run.title}</bdi>
            </a>
          ))}
        </Fact>
      )}
      <Fact name="Made by" count={makers.length}>
        {makers.slice(0, shownMax).map((asset) => (
          <Actor key={asset.id} of={asset.created_by} />
        ))}
      </Fact>
      {newest && (
        <Fact name="Newest" count={1}>
          <Time ts={newest.created_at} />
        </Fact>
      )}
    </dl>
  );
}

interface FactProps {
  name: string;
  /** Of what is listed, also of what is left out. */
  count: number;
  children: preact.ComponentChildren;
}

const Fact = ({ name, count, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {children}
      {count > shownMax && <span class="soft">{count - shownMax} more</span>}
    </dd>
  </div>
);
