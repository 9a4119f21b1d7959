/** The form that adds an annotation. Without scripts its place is typed; scripts fill it in when one is drawn. */
import { type Weight, weights } from "../../../files/probe/marks/schema.ts";
import type { Asset } from "../../../library/assets/schema.ts";
import { kindRows } from "../../assets/kinds.ts";
import { Notice } from "../../notice.tsx";
import type { AnnotationForms } from "../asset-annotations.ts";
import { placeFields } from "./place-fields.ts";
import { SenderFields } from "./sender-fields.tsx";

const labels: Record<string, string> = {
  x: "Left %",
  y: "Top %",
  w: "Width %",
  h: "Height %",
  from: "Time",
  to: "Until",
  page: "Page",
  viewport_w: "Page width, px",
  line_from: "Line",
  line_to: "Last line",
  quote: "Quote",
};

const widths: Record<string, string> = { quote: "long", from: "half", to: "half" };

/** An annotation that was not saved: the error, and what was typed. */
export interface RefusedAnnotation {
  message: string;
  form: ReadonlyMap<string, string>;
}

interface AnnotationFormProps {
  asset: Pick<Asset, "kind" | "sha256">;
  forms: AnnotationForms;
  refused?: RefusedAnnotation | undefined;
}

export function AnnotationForm({ asset: { kind, sha256 }, forms, refused }: AnnotationFormProps) {
  const typed = (name: string): string => refused?.form.get(name) ?? "";
  const shown = kindRows[kind].placeFields;
  const [measured, named] = [shown.filter(isMeasured), shown.filter((name) => !isMeasured(name))];
  return (
    <details class="annotate" open={refused !== undefined} data-annotate>
      <summary>Add an annotation</summary>
      <form method="post" action={forms.action} class="stack" data-annotation-form>
        <Notice text={refused?.message} />
        <input type="hidden" name="sha256" value={sha256} />
        <WeightField value={weights.find((weight) => weight === typed("weight")) ?? forms.weight} />
        <label>
          What to change
          <textarea name="body" rows={3} maxLength={1024} required aria-keyshortcuts="Control+Enter">
            {typed("body")}
          </textarea>
        </label>
        {named.length > 0 && (
          <fieldset class="place">
            <legend>Place, or leave empty for the whole file</legend>
            {named.map((name) => (
              <PlaceField key={name} name={name} value={typed(name)} />
            ))}
          </fieldset>
        )}
        {measured.length > 0 && (
          <details class="measured">
            <summary>Place on it, in percent</summary>
            <div class="place">
              {measured.map((name) => (
                <PlaceField key={name} name={name} value={typed(name)} />
              ))}
            </div>
          </details>
        )}
        {placeFields
          .filter((name) => !shown.includes(name))
          .map((name) => (
            <input key={name} type="hidden" name={name} value={typed(name)} />
          ))}
        <SenderFields forms={forms} />
        <p class="buttons">
          <button type="submit" class="primary" name="do" value="add">
            Save annotation <kbd>Enter</kbd>
          </button>
          <button type="button" data-cancel hidden>
            Cancel <kbd>Esc</kbd>
          </button>
        </p>
      </form>
    </details>
  );
}

/** Drawn with scripts, which hide these fields. */
const isMeasured = (name: string): boolean => labels[name]?.endsWith("%") || name === "viewport_w";

const PlaceField = ({ name, value }: { name: string; value: string }) => (
  <label class={widths[name]}>
    {labels[name]}
    <input name={name} value={value} {...inputOf(name)} />
  </label>
);

function inputOf(name: string): {
  inputMode?: "decimal" | "numeric";
  placeholder?: string;
  maxLength?: number;
} {
  if (name === "from" || name === "to") return { placeholder: "0:12.400" };
  if (name === "quote") return { maxLength: 256 };
  return { inputMode: labels[name]?.endsWith("%") ? "decimal" : "numeric" };
}

export const WeightField = ({ value }: { value: Weight }) => (
  <fieldset class="weights">
    <legend>Weight</legend>
    {weights.map((weight, index) => (
      <label key={weight} class={`weight ${weight}`}>
        <input
          type="radio"
          name="weight"
          value={weight}
          checked={weight === value}
          aria-keyshortcuts={`Alt+${index + 1}`}
        />{" "}
        {weight} <kbd>{index + 1}</kbd>
      </label>
    ))}
    <span class="soft with-alt">with Alt</span>
  </fieldset>
);
