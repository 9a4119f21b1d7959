/** The current decisions that say the opposite of one, each with a button that retires it. */
import type { Contradiction } from "../../memory/schema.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { Actor } from "../actor.tsx";
import { hasScope, PostForm } from "../layout.tsx";
import type { View } from "../view.ts";
import { decisionUrl } from "./decision-list.tsx";

interface OppositesProps {
  view: View;
  decision: Pick<DecisionDetail, "contradicts" | "contradicted_by">;
}

export function Opposites({ view, decision: { contradicts, contradicted_by } }: OppositesProps) {
  if (contradicts.length + contradicted_by.length === 0) return null;
  return (
    <div class="notice opposites">
      {contradicts.map((one) => (
        <Opposite key={one.id} view={view} name="Decision" opposite={one} />
      ))}
      {contradicted_by.map((one) => (
        <Opposite key={one.id} view={view} name="The newer decision" opposite={one} />
      ))}
    </div>
  );
}

const Opposite = ({ view, name, opposite }: { view: View; name: string; opposite: Contradiction }) => {
  const { id, text, actor, here, there } = opposite;
  return (
    <div>
      <p>
        {name} <a href={decisionUrl({ id })}>{id}</a> by <Actor of={actor} /> says the opposite
        {there !== null && here !== null && (
          <>
            {" "}
            (<q>{there}</q>, not <q>{here}</q>)
          </>
        )}
        : <bdi>{text}</bdi>
      </p>
      {hasScope(view, "memory:write") && (
        <PostForm view={view} action={`${decisionUrl({ id })}/retire`}>
          <button type="submit">Retire decision {id}</button>
        </PostForm>
      )}
    </div>
  );
};
