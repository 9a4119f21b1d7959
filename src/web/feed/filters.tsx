/** @jsxImportSource preact */
/** The filters of the feed page. A script applies them on every change; without scripts there is a button. */
import type { Config } from "../../core/config.ts";
import { type FeedFilterName, type FeedFilterRow, feedFilterNames, feedFilters } from "../../feed/filters.ts";
import type { Project } from "../../feed/projects/schema.ts";

interface FiltersProps {
  config: Config;
  /** Values by filter, several separated by commas. */
  filters: Record<string, string>;
  projects: Project[];
  /** The `view` of the URL, which a change of the filters keeps. */
  shown: string | null;
}

export const Filters = ({ config, filters, projects, shown }: FiltersProps) => (
  <form class="filters" id="filters" method="get" action="/feed" autocomplete="off">
    {shown && <input type="hidden" name="view" value={shown} />}
    {feedFilterNames.map((name) => (
      <Filter key={name} name={name} value={filters[name]} options={optionsOf(name, projects, config)} />
    ))}
    <button type="submit">Apply</button>
    <a class="clear" id="clear" href="/feed" hidden={Object.keys(filters).length === 0}>
      Clear
    </a>
  </form>
);

interface FilterProps {
  name: FeedFilterName;
  value: string | undefined;
  options: readonly string[] | null;
}

function Filter({ name, value, options }: FilterProps) {
  const { label, schema } = feedFilters[name];
  if (options)
    return <Choices name={name} label={label} chosen={value?.split(",") ?? []} options={options} />;
  return (
    <label class={schema.type === "integer" ? "short" : "broad"}>
      {label}{" "}
      <input
        name={name}
        value={value ?? ""}
        placeholder={String(schema.examples?.[0] ?? "")}
        inputMode={schema.type === "integer" ? "numeric" : "text"}
      />
    </label>
  );
}

interface ChoicesProps {
  name: string;
  label: string;
  chosen: string[];
  options: readonly string[];
}

/** A menu of checkboxes that works without scripts. A value that is no option any more stays listed. */
const Choices = ({ name, label, chosen, options }: ChoicesProps) => (
  <details class="choices">
    <summary>
      <span class="choices-label">{label}</span>{" "}
      <span class="choices-value" data-chosen={name}>
        {chosen.length === 0 ? "All" : chosen.length === 1 ? chosen[0] : `${chosen.length} selected`}
      </span>
    </summary>
    <fieldset>
      <legend class="visually-hidden">{label}</legend>
      {[...new Set([...options, ...chosen])].map((option) => (
        <label key={option}>
          <input type="checkbox" name={name} value={option} checked={chosen.includes(option)} /> {option}
        </label>
      ))}
    </fieldset>
  </details>
);

function optionsOf(name: FeedFilterName, projects: Project[], config: Config): readonly string[] | null {
  const { options }: FeedFilterRow = feedFilters[name];
  if (options === "projects") return projects.map(({ slug }) => slug);
  return options === "lanes" ? config.lanes : (options ?? null);
}
