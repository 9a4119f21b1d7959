/** @jsxImportSource preact */
/** What an agent decided, for a person to confirm or drop. */

import type { DecisionRecord } from "../../memory/list-schemas.ts";
import { orderIn } from "../../memory/orders.ts";
import { CsrfField, hasScope, MissingScope } from "../layout.tsx";
import type { View } from "../view.ts";
import { decisionUrl } from "./decision-list.tsx";

/** The field of a form on Today, where its answer leads back to. */
export const onToday = "today";

interface ProposalProps {
  view: View;
  decision: Pick<DecisionRecord, "id" | "text">;
  isOnToday?: boolean;
}

export function Proposal({ view, decision, isOnToday = false }: ProposalProps) {
  if (!hasScope(view, "assets:review"))
    return <MissingScope view={view} scope="assets:review" to="confirm this decision" />;
  const order = orderIn(decision.text);
  const url = decisionUrl(decision);
  return (
    <form class="stack proposal" method="post" action={`${url}/confirm`}>
      <CsrfField token={view.visitor.csrf} />
      {isOnToday && <input type="hidden" name={onToday} value="" />}
      {order && (
        <p class="notice" role="alert">
          This text gives orders to agents: <q>{order}</q>. Confirm it only if your team wants them to obey.
        </p>
      )}
      <p class="soft">
        An agent recorded this. Until a person confirms it, briefs have it last, under a heading of its own.
      </p>
      <p class="buttons">
        <button type="submit" class="primary" aria-keyshortcuts="A">
          Confirm
        </button>
        <button type="submit" class="danger" formAction={`${url}/drop`} aria-keyshortcuts="R">
          Drop
        </button>
      </p>
    </form>
  );
}
