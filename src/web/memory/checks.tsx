/** What programs check of a decision, what its words propose to check, and how often that stopped something. */
import { ruleText } from "../../memory/checks/rule-text.ts";
import type { Check, CheckRule } from "../../memory/checks/schema.ts";
import type { DecisionDetail } from "../../overview/memory/decision-schema.ts";
import { hasScope, PostForm } from "../layout.tsx";
import type { View } from "../view.ts";
import { decisionUrl } from "./decision-list.tsx";
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

/** The patterns that a note proposes: see `proposeChecks`. */
const color = /^\(\?i\)#(?:\(\?:([0-9a-f]+)\|([0-9a-f]+)\)|([0-9a-f]+))\\b$/;
const word = /^\(\?:\^\|\[\^\\w-\]\)(.+)\(\?:\$\|\[\^\\w-\]\)$/;

/** What a pattern matches; null for one that a person or an agent wrote. */
function meaningOf(pattern: string): string | null {
  const [, long, short, only] = color.exec(pattern) ?? [];
  if (only) return `#${only.toUpperCase()}`;
  if (long && short) return `#${long.toUpperCase()} or #${short.toUpperCase()}`;
  const name = word.exec(pattern)?.[1]?.replace(/\\(.)/g, "$1");
  return name && !/[(|[]/.test(name) ? `the word “${name}”` : null;
}

interface RuleWords {
  sentence: string;
  /** What programs compare with, where the sentence does not say it. */
  pattern: string | null;
}

export function wordsOfRule(rule: CheckRule): RuleWords {
  const { kind, text, pattern = null, paths, run } = rule;
  const meaning = pattern === null ? null : meaningOf(pattern);
  const what = text === undefined ? (meaning ?? "what a pattern matches") : `“${text}”`;
  const where = paths?.length ? ` in ${paths.join(", ")}` : "";
  const sentences: Record<CheckRule["kind"], () => string> = {
    forbid: () => `Text files${where} must not contain ${what}.`,
    require: () => `Files${where} must contain ${what}.`,
    command: () => `Agents must not run ${text === undefined ? "commands that a pattern matches" : what}.`,
    run: () => `“${run}” must pass${where && ` after changes${where}`}.`,
    asset: () => {
      const limits = ruleText(rule).replace(/^files /, "");
      return `Assets must ${limits.startsWith("with") ? "come" : "be"} ${limits}.`;
    },
  };
  return { sentence: sentences[kind](), pattern };
}
