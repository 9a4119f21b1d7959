/** What an agent decided, for a person to confirm or drop. */

import type { DecisionRecord } from "../../memory/list-schemas.ts";
import { orderIn } from "../../memory/orders.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { hasScope, MissingScope, PostForm } from "../layout.tsx";
import type { View } from "../view.ts";
import { decisionUrl } from "./decision-list.tsx";

/** The field of a form on Today, where its answer leads back to. */
export const onToday = "today";

const proposedText =
  "An agent recorded this. Until a person confirms it, briefs have it last, under a heading of its own.";
const endedText =
  "An agent retired this. Briefs no longer carry it, and its checks apply until a person confirms that.";

const hasChecks = (decision: DecisionRecord | null): boolean =>
  decision?.standing === "confirmed" && decision.checks.some(({ standing }) => standing === "confirmed");

interface ProposalProps {
  view: View;
  decision: Pick<DecisionDetail, "id" | "text" | "valid_until" | "superseded">;
  isOnToday?: boolean;
}

export function Proposal({ view, decision, isOnToday = false }: ProposalProps) {
  if (!hasScope(view, "assets:review"))
    return <MissingScope view={view} scope="assets:review" to="confirm this decision" />;
  const isEnded = decision.valid_until !== null;
  const order = isEnded ? null : orderIn(decision.text);
  const replaced = !isEnded && hasChecks(decision.superseded) ? decision.superseded : null;
  const url = decisionUrl(decision);
  return (
    <PostForm view={view} class="stack proposal" action={`${url}/confirm`}>
      {isOnToday && <input type="hidden" name={onToday} value="" />}
      {order && (
        <p class="notice" role="alert">
          This text gives orders to agents: <q>{order}</q>. Confirm it only if your team wants them to obey.
        </p>
      )}
      <p class="soft">{isEnded ? endedText : proposedText}</p>
      {replaced && (
        <p class="soft">
          It replaces <a href={decisionUrl(replaced)}>decision {replaced.id}</a>, whose checks apply until you
          confirm.
        </p>
      )}
      <p class="buttons">
        <button type="submit" class="primary" aria-keyshortcuts="A">
          Confirm
        </button>
        <button type="submit" class="danger" formAction={`${url}/drop`} aria-keyshortcuts="R">
          {isEnded ? "Restore" : "Drop"}
        </button>
      </p>
    </PostForm>
  );
}
