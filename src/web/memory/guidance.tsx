/** The vendor guidance of the memory page: the models, and the sections of one. */

import type { ModelList } from "../../memory/list-schemas.ts";
import type { Guidance } from "../../memory/models/schema.ts";
import { getModels, guidance } from "../../memory/operations.ts";
import { pluralize } from "../format.ts";
import { EmptyState } from "../layout.tsx";
import { ModelStatus } from "../projects/model-status.tsx";
import { Time } from "../time.tsx";
import { callOperation, filtersOf, urlWith, type View } from "../view.ts";

const charsMax = 100_000;

export async function guidanceSection(view: View) {
  const { model } = filtersOf(view.url, ["model"]);
  if (model !== undefined) return modelSection(view, model);
  const { models } = await callOperation<ModelList>(view, getModels);
  return (
    <section>
      <h2>Guidance of the models' vendors</h2>
      {models.length === 0 ? (
        <EmptyState title="No models yet.">
          <p>
            Add one with <code>svc model onboard</code>: svc then keeps the vendor's official guidance for it.
          </p>
        </EmptyState>
      ) : (
        <ul class="models">
          {models.map((row) => (
            <li key={row.id}>
              <a href={urlWith(view.url, { model: row.id })}>
                <code>{row.id}</code>
              </a>{" "}
              <ModelStatus model={row} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

async function modelSection(view: View, id: string) {
  const { model, sections, left_out } = await callOperation<Guidance>(view, guidance, {
    model: id,
    max_chars: charsMax,
  });
  return (
    <section>
      <p class="crumbs">
        <a href="/memory?view=guidance">Guidance</a>
      </p>
      <h2>
        <code>{model.id}</code> <ModelStatus model={model} />
      </h2>
      {sections.map(({ heading, text, source, refreshed_at }) => (
        <details key={`${source} ${heading}`}>
          <summary>{heading || "Introduction"}</summary>
          <p class="decision">{text}</p>
          <p class="soft">
            <a href={source} rel="noreferrer">
              {source}
            </a>{" "}
            · refreshed <Time ts={refreshed_at} />
          </p>
        </details>
      ))}
      {left_out.length > 0 && (
        <p class="soft">
          {pluralize(left_out.length, "section")} not shown for length. Search above to find them.
        </p>
      )}
    </section>
  );
}
