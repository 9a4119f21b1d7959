/** @jsxImportSource preact */
/** The five rules and a task's life: what the product is for. */
import { describeService } from "../info.ts";
import type { Page, View } from "./view.ts";

export function methodologyPage({ ctx }: View): Page {
  const { rules, task_flow = [] } = describeService(ctx.config);
  const body = (
    <article class="reading">
      <h1>How a team works with it</h1>
      <p class="lede">
        Agents do much of the work; people decide what is good. That only goes well when what happened, what
        was decided and what was made is kept in one place, where the next attempt begins.
      </p>
      <h2>Five rules</h2>
      <ol class="rules">
        {rules.map((rule) => (
          <li key={rule.n}>
            <h3>{rule.title}</h3>
            <p>{rule.body}</p>
          </li>
        ))}
      </ol>
      <h2>A task's life</h2>
      <ol class="flow">
        {task_flow.map((step) => (
          <li key={step.n}>
            <h3>{step.step}</h3>
            <p class="where">{step.where}</p>
            <p>
              <Code text={step.detail} />
            </p>
          </li>
        ))}
      </ol>
      <p class="where after">
        How the site that shows it is made: <a href="/docs/design">the design language</a>.
      </p>
    </article>
  );
  return { title: "Method", place: "methodology", body };
}

/** What stands between backticks as code. */
export const Code = ({ text }: { text: string }) => (
  <>{text.split("`").map((part, index) => (index % 2 ? <code key={part}>{part}</code> : part))}</>
);
