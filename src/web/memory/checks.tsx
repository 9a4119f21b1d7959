/** What programs check of a decision, what its words propose to check, and how often that stopped something. */
import { ruleText } from "../../memory/checks/rule-text.ts";
import type { Check, CheckRule } from "../../memory/checks/schema.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { hasScope, PostForm } from "../layout.tsx";
import type { View } from "../view.ts";
import { decisionUrl } from "./decision-list.tsx";
import { wordsOfRule } from "./rule-words.ts";
import { stopsText } from "./stops-text.ts";

type Checked = Pick<DecisionDetail, "id" | "checks" | "proposed_checks" | "stops" | "valid_until">;

interface ChecksProps {
  view: View;
  decision: Checked;
  /** Whether the form is on the page of the asset, which it leads back to. */
  isAtAsset?: boolean;
}

const ruleOf = ({ standing: _, actor: __, ...rule }: Check): CheckRule => rule;

export function Checks({ view, decision, isAtAsset = false }: ChecksProps) {
  const { checks, stops, valid_until } = decision;
  const rulesOf = (standing: Check["standing"]) =>
    checks.filter((one) => one.standing === standing).map(ruleOf);
  const saved = rulesOf("confirmed");
  const maySave = valid_until === null && hasScope(view, "assets:review");
  const proposed = maySave ? [...rulesOf("proposed"), ...decision.proposed_checks] : [];
  if (saved.length + proposed.length + stops === 0) return null;
  const url = `${decisionUrl(decision)}/checks`;
  return (
    <div class="stack checks">
      {saved.length > 0 && (
        <ul>
          {saved.map((rule) => (
            <li key={ruleText(rule)}>
              Checked: <Words rule={rule} />
            </li>
          ))}
        </ul>
      )}
      {stops > 0 && <p class="soft">Its checks {stopsText(stops)}.</p>}
      {proposed.length > 0 && (
        <p class="soft">
          Rules found in the text, which hooks of agents and <code>svc check</code> can apply:
        </p>
      )}
      {proposed.map((rule) => (
        <PostForm view={view} key={ruleText(rule)} action={url} class="check-proposal">
          {isAtAsset && <input type="hidden" name="asset" value="" />}
          <input type="hidden" name="checks" value={JSON.stringify([...saved, rule])} />
          <button type="submit">Check this</button> <Words rule={rule} />
        </PostForm>
      ))}
    </div>
  );
}

/** What a rule says, with the pattern behind it. */
function Words({ rule }: { rule: CheckRule }) {
  const { sentence, pattern } = wordsOfRule(rule);
  return (
    <>
      <bdi>{sentence}</bdi>
      {pattern !== null && (
        <details class="soft">
          <summary>Pattern</summary>
          <code>{pattern}</code>
        </details>
      )}
    </>
  );
}
