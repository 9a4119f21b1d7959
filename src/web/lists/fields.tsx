/** The fields of the filters of a list. All work without scripts; a script applies each change. */

export interface FilterField {
  label: string;
  /**
   * Without it a selection, or a text without options. `menu`: checkboxes, as several values may be chosen.
   * `hidden`: links set it, and its chip removes it.
   */
  as?: "menu" | "number" | "date" | "search" | "hidden";
  options?: readonly string[];
  /** What people read for a value; the value itself by default. */
  nameOf?(value: string): string;
  /** The option that a value of the URL means, such as an actor in another form. */
  optionOf?(value: string): string;
  /** What is chosen without the parameter. Without it, that is "All". */
  byDefault?: string;
  placeholder?: string;
}

/** By the name of the filter, in this order; null for one that the page does not have. */
export type FilterFields = Readonly<Record<string, FilterField | null>>;

/** The values of a filter, of which only a menu has several. A form without scripts repeats the parameter. */
export const valuesOf = (field: FilterField, { searchParams }: URL, name: string): string[] => {
  const given = searchParams.getAll(name);
  const values = field.as === "menu" ? given.flatMap((value) => value.split(",")) : given.slice(0, 1);
  return [
    ...new Set(
      values.filter((value) => value.trim()).map((value) => field.optionOf?.(value.trim()) ?? value.trim()),
    ),
  ];
};

/** The filters that a URL sets, as an operation takes them; it refuses a number that is none. */
export const queryOf = (url: URL, fields: FilterFields): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const text = field ? valuesOf(field, url, name).join() : "";
      return text ? [[name, field?.as === "number" && /^\d+$/.test(text) ? Number(text) : text]] : [];
    }),
  );

export const nameOf = (field: FilterField, value: string): string => field.nameOf?.(value) ?? value;

interface FieldProps {
  name: string;
  field: FilterField;
  values: string[];
  /** What is wrong with the value. */
  error: string | undefined;
}

export function Field({ name, field, values, error }: FieldProps) {
  if (field.as === "hidden") return values[0] ? <input type="hidden" name={name} value={values[0]} /> : null;
  if (field.options && values.length + field.options.length === 0) return null;
  const marks: Marks = error ? { "aria-invalid": "true", "aria-describedby": `${name}-error` } : {};
  const props = { name, field, values, marks };
  return (
    <div class={`field${field.as ? ` as-${field.as}` : ""}`}>
      {field.as === "menu" ? (
        <Menu {...props} />
      ) : (
        <>
          <label for={`filter-${name}`}>{field.label}</label>
          {field.options ? <Selection {...props} /> : <Input {...props} />}
        </>
      )}
      {error && (
        <span class="field-error" id={`${name}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

type Marks = Record<string, string>;
type ControlProps = Omit<FieldProps, "error"> & { marks: Marks };

const Selection = ({ name, field, values: [value], marks }: ControlProps) => (
  <select id={`filter-${name}`} name={name} {...marks}>
    {field.byDefault === undefined && <option value="">All</option>}
    {withChosen(field, value ? [value] : []).map((option) => (
      <option key={option} value={option} selected={option === (value ?? field.byDefault)}>
        {nameOf(field, option)}
      </option>
    ))}
  </select>
);

const Input = ({ name, field, values: [value], marks }: ControlProps) => (
  <input
    id={`filter-${name}`}
    name={name}
    value={value ?? field.byDefault}
    placeholder={field.placeholder}
    {...inputTypeOf(field, "aria-invalid" in marks)}
    {...marks}
  />
);

/** A value that is no date would be left out by a field for dates. */
function inputTypeOf({ as }: FilterField, isInvalid: boolean) {
  if (as === "number") return { type: "text", inputMode: "numeric" } as const;
  if (as === "search") return { type: "search" } as const;
  return as === "date" && !isInvalid ? ({ type: "date" } as const) : ({ type: "text" } as const);
}

/** The options, and a chosen value that is none (any more). */
const withChosen = ({ options = [] }: FilterField, values: string[]): string[] => [
  ...new Set([...options, ...values]),
];

const chosenText = (field: FilterField, [value, ...others]: string[]): string =>
  value === undefined ? "All" : others.length > 0 ? `${others.length + 1} selected` : nameOf(field, value);

const Menu = ({ name, field, values, marks }: ControlProps) => (
  <details class="choices">
    <summary {...marks}>
      <span class="choices-label">{field.label}</span>{" "}
      <bdi class="choices-value" data-chosen={name}>
        {chosenText(field, values)}
      </bdi>
    </summary>
    <fieldset>
      <legend class="visually-hidden">{field.label}</legend>
      {withChosen(field, values).map((option) => (
        <label key={option}>
          <input type="checkbox" name={name} value={option} checked={values.includes(option)} />{" "}
          <bdi>{nameOf(field, option)}</bdi>
        </label>
      ))}
    </fieldset>
  </details>
);
