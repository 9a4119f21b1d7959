/** What the usage page shows: the range, the group, the interval, and the range compared with. */
import { dayOf } from "../../core/lib/time.ts";
import { addDays, daysIn } from "../../feed/usage/ranges.ts";
import {
  type Interval,
  intervals,
  ownerGroups,
  type UsageGroup,
  usageGroups,
} from "../../feed/usage/schema.ts";
import { capitalize } from "../format.ts";
import type { FilterFields } from "../lists/fields.tsx";
import { ListFilters } from "../lists/filters.tsx";
import { type Owners, ownerFields } from "../lists/owners.ts";
import type { RefusedFilter } from "../lists/refused-filter.ts";
import { filtersOf, urlWith, type View } from "../view.ts";
import { groupLabels } from "./groups.tsx";

export const usageParameters = [
  ...["from", "to", "project", "team", "person", "by", "interval", "compare_from", "compare_to"],
];

/** The parameters of the page, as the report takes them; a field that is wrong is refused there. */
export interface Choice {
  from: string;
  to: string;
  by: string;
  interval: string;
  project?: string;
  team?: string;
  person?: string;
  compare_from?: string;
  compare_to?: string;
}

const defaultDays = 30;

export function choiceOf({ url, ctx }: View): Choice {
  const given = filtersOf(url, usageParameters);
  const to = given.to ?? dayOf(ctx.now());
  const range = { from: given.from ?? (isDay(to) ? addDays(to, 1 - defaultDays) : to), to };
  return { by: "project", interval: suitedInterval(range), ...given, ...range };
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

/** Days up to two months, weeks up to about a year, else months: bars that are wide enough to see. */
function suitedInterval(range: { from: string; to: string }): Interval {
  const days = isDay(range.from) && isDay(range.to) ? daysIn(range) : 0;
  return days <= 62 ? "day" : days <= 400 ? "week" : "month";
}

interface FiltersProps {
  view: View;
  choice: Choice;
  slugs: string[];
  /** Those that events have. */
  lanes: string[];
  owners: Owners;
  refused: RefusedFilter | undefined;
}

type FieldsProps = Pick<FiltersProps, "choice" | "slugs" | "lanes" | "owners">;

export const isOwned = ({ team, person }: Choice): boolean => (team ?? person) !== undefined;

/** The field of each parameter, in this order. Those that do not filter have no chip. */
export const usageFields = ({ choice, slugs, lanes, owners }: FieldsProps): FilterFields => ({
  from: { label: "From", as: "date", byDefault: choice.from },
  to: { label: "To", as: "date", byDefault: choice.to },
  project: { label: "Project", options: slugs },
  ...ownerFields(owners),
  by: {
    label: "Group by",
    options: isOwned(choice)
      ? ownerGroups
      : usageGroups.filter((group) => group !== "lane" || lanes.length > 0),
    nameOf: (group) => groupLabels[group as UsageGroup] ?? group,
    byDefault: choice.by,
  },
  interval: { label: "Chart by", options: intervals, nameOf: capitalize, byDefault: choice.interval },
  compare_from: { label: "Compare from", as: "date", byDefault: choice.compare_from ?? "" },
  compare_to: { label: "Compare to", as: "date", byDefault: choice.compare_to ?? "" },
});

export const UsageFilters = ({ view, choice, refused, ...values }: FiltersProps) => (
  <>
    <div class="head">
      <QuickRanges view={view} choice={choice} />
      <CompareLink view={view} choice={choice} />
    </div>
    <ListFilters url={view.url} fields={usageFields({ choice, ...values })} refused={refused} />
  </>
);

type ChoiceProps = Pick<FiltersProps, "view" | "choice">;

/** On the last day of a month of 30 days, two of them are the same days: only one is current. */
function QuickRanges({ view: { url, ctx }, choice }: ChoiceProps) {
  const ranges = quickRanges(dayOf(ctx.now()));
  const current = ranges.find(({ from, to }) => choice.from === from && choice.to === to);
  return (
    <nav class="tabs" aria-label="Days">
      {ranges.map((range) => (
        <a
          key={range.name}
          href={urlWith(url, {
            from: range.from,
            to: range.to,
            interval: null,
            compare_from: null,
            compare_to: null,
          })}
          aria-current={range === current ? "true" : undefined}
        >
          {range.name}
        </a>
      ))}
    </nav>
  );
}

/** Compares with the days just before, or ends the comparison. Runs cannot be compared; see run-report.ts. */
function CompareLink({ view: { url }, choice }: ChoiceProps) {
  const { from, to, by, compare_from } = choice;
  if (compare_from)
    return (
      <a class="clear" href={urlWith(url, { compare_from: null, compare_to: null })}>
        Don't compare
      </a>
    );
  if (by === "run" || !isDay(from) || !isDay(to) || from > to) return null;
  const days = daysIn({ from, to });
  const before = { compare_from: addDays(from, -days), compare_to: addDays(from, -1) };
  return (
    <a class="clear" href={urlWith(url, { from, to, ...before })}>
      {days === 1 ? "Compare with the day before" : `Compare with the ${days} days before`}
    </a>
  );
}

function quickRanges(today: string) {
  const month = `${today.slice(0, 8)}01`;
  const monthBefore = `${addDays(month, -1).slice(0, 8)}01`;
  const last = (days: number) => ({
    name: `${days} days`,
    from: addDays(today, 1 - days),
    to: today,
  });
  return [
    ...[7, 30, 90, 365].map(last),
    { name: "This month", from: month, to: today },
    { name: "Last month", from: monthBefore, to: addDays(month, -1) },
  ];
}
